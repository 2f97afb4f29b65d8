//! Stub.

use minijinja::Value;

use crate::compare::speed::Speed;

pub(super) fn value(_: &Speed) -> Value {
    Value::from(())
}
