//! Stages on small inputs of our own; real releases are in tests/.
