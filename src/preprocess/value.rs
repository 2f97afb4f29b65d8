//! What is known of an integer in an `#if`: nothing, or its type and an interval it lies in.
//! The arithmetic is that of C's preprocessor: 64 bits, signed or unsigned, wrapping as gcc does.

/// An abstract integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Nothing is known, not even whether it is signed.
    Unknown,
    /// An integer in `lo..=hi`; exact where they are equal.
    Int {
        /// Least value.
        lo: i128,
        /// Greatest value.
        hi: i128,
        /// Whether its type is `uintmax_t`.
        unsigned: bool,
    },
}

const SIGNED: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);
const UNSIGNED: (i128, i128) = (0, u64::MAX as i128);

/// Operators with two operands, but for `&&`, `||` and `,`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is the operator of that name")]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl Value {
    /// A signed constant.
    pub fn int(value: i64) -> Value {
        Value::exact(i128::from(value), false)
    }

    /// A constant of either type.
    pub fn exact(value: i128, unsigned: bool) -> Value {
        Value::Int { lo: value, hi: value, unsigned }
    }

    /// A signed integer between two bounds.
    pub fn range(lo: Option<i64>, hi: Option<i64>) -> Value {
        let lo = lo.map_or(SIGNED.0, i128::from);
        let hi = hi.map_or(SIGNED.1, i128::from);
        Value::Int { lo, hi, unsigned: false }
    }

    /// 0 or 1, whichever a comparison gives; both where it isn't known.
    pub fn truth_of(truth: Option<bool>) -> Value {
        match truth {
            Some(truth) => Value::int(i64::from(truth)),
            None => Value::Int { lo: 0, hi: 1, unsigned: false },
        }
    }

    fn any(unsigned: bool) -> Value {
        let (lo, hi) = if unsigned { UNSIGNED } else { SIGNED };
        Value::Int { lo, hi, unsigned }
    }

    /// True, false, or not known.
    pub fn truth(self) -> Option<bool> {
        match self {
            Value::Int { lo: 0, hi: 0, .. } => Some(false),
            Value::Int { lo, hi, .. } if lo > 0 || hi < 0 => Some(true),
            _ => None,
        }
    }

    /// The one integer it can be.
    pub fn constant(self) -> Option<i128> {
        match self {
            Value::Int { lo, hi, .. } if lo == hi => Some(lo),
            _ => None,
        }
    }

    /// An interval as its type has it. What does not fit wraps if exact. A signed bound that does
    /// not fit is cut off: an overflow there is an error of the text, so it is not meant. For an
    /// unsigned one nothing can be said.
    fn fit(lo: i128, hi: i128, unsigned: bool) -> Value {
        let (min, max) = if unsigned { UNSIGNED } else { SIGNED };
        if min <= lo && hi <= max {
            Value::Int { lo, hi, unsigned }
        } else if lo == hi {
            Value::exact(wrap(lo, unsigned), unsigned)
        } else if unsigned {
            Value::any(true)
        } else {
            Value::Int { lo: lo.clamp(min, max), hi: hi.clamp(min, max), unsigned }
        }
    }

    /// Converts both operands to their common type.
    fn usual(self, other: Value) -> Option<(Value, Value, bool)> {
        match (self, other) {
            (Value::Int { lo, hi, unsigned: a }, Value::Int { lo: l, hi: h, unsigned: b }) => {
                let unsigned = a || b;
                Some((Value::fit(lo, hi, unsigned), Value::fit(l, h, unsigned), unsigned))
            }
            _ => None,
        }
    }

    /// `-x`.
    pub fn negate(self) -> Value {
        match self {
            Value::Int { lo, hi, unsigned } => Value::fit(-hi, -lo, unsigned),
            Value::Unknown => self,
        }
    }

    /// `~x`.
    pub fn complement(self) -> Value {
        match self {
            Value::Int { lo, hi, unsigned } => Value::fit(-hi - 1, -lo - 1, unsigned),
            Value::Unknown => self,
        }
    }

    /// `c ? x : y`.
    pub fn choose(condition: Option<bool>, then: Value, other: Value) -> Value {
        let Some((then, other, unsigned)) = then.usual(other) else { return Value::Unknown };
        match (condition, then, other) {
            (Some(true), _, _) => then,
            (Some(false), _, _) => other,
            (None, Value::Int { lo, hi, .. }, Value::Int { lo: l, hi: h, .. }) => {
                Value::Int { lo: lo.min(l), hi: hi.max(h), unsigned }
            }
            _ => Value::Unknown,
        }
    }

    /// Any other operator.
    pub fn binary(self, op: Arithmetic, other: Value) -> Value {
        use Arithmetic::{Eq, Ge, Gt, Le, Lt, Ne, Shl, Shr};
        match op {
            Lt | Le | Gt | Ge | Eq | Ne => Value::truth_of(compare(self, op, other)),
            Shl | Shr => shift(self, op, other),
            _ => combine(self, op, other),
        }
    }
}

/// `value` modulo 2^64, read as the type says.
fn wrap(value: i128, unsigned: bool) -> i128 {
    let bits = value as u64;
    if unsigned { i128::from(bits) } else { i128::from(bits as i64) }
}

fn compare(a: Value, op: Arithmetic, b: Value) -> Option<bool> {
    let (Value::Int { lo, hi, .. }, Value::Int { lo: l, hi: h, .. }, _) = a.usual(b)? else {
        return None;
    };
    let always = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
    match op {
        Arithmetic::Lt => always(hi < l, lo >= h),
        Arithmetic::Le => always(hi <= l, lo > h),
        Arithmetic::Gt => always(lo > h, hi <= l),
        Arithmetic::Ge => always(lo >= h, hi < l),
        Arithmetic::Eq => always(lo == hi && l == h && lo == l, hi < l || h < lo),
        Arithmetic::Ne => always(hi < l || h < lo, lo == hi && l == h && lo == l),
        _ => None,
    }
}

/// Shifts as gcc's preprocessor does them: a negative count shifts the other way.
fn shift(a: Value, op: Arithmetic, b: Value) -> Value {
    let Value::Int { unsigned, .. } = a else { return Value::Unknown };
    let (Some(value), Some(count)) = (a.constant(), b.constant()) else {
        return Value::any(unsigned);
    };
    let left = (op == Arithmetic::Shl) == (count >= 0);
    let count = count.unsigned_abs();
    if left {
        let shifted = if count < 64 { value << count } else { 0 };
        Value::exact(wrap(shifted, unsigned), unsigned)
    } else {
        Value::exact(value >> count.min(64), unsigned)
    }
}

fn combine(a: Value, op: Arithmetic, b: Value) -> Value {
    let Some((a, b, unsigned)) = a.usual(b) else { return Value::Unknown };
    let (Value::Int { lo, hi, .. }, Value::Int { lo: l, hi: h, .. }) = (a, b) else {
        return Value::Unknown;
    };
    match op {
        Arithmetic::Add => Value::fit(lo + l, hi + h, unsigned),
        Arithmetic::Sub => Value::fit(lo - h, hi - l, unsigned),
        Arithmetic::Mul => product((lo, hi), (l, h), unsigned),
        _ => match (a.constant(), b.constant()) {
            (Some(x), Some(y)) => exact(x, op, y, unsigned),
            _ => Value::any(unsigned),
        },
    }
}

fn product(a: (i128, i128), b: (i128, i128), unsigned: bool) -> Value {
    if a.0 == a.1 && b.0 == b.1 {
        // Modulo 2^128 is as good as modulo 2^64; two unsigned factors need more than 127 bits.
        return Value::exact(wrap(a.0.wrapping_mul(b.0), unsigned), unsigned);
    }
    let products =
        [a.0.checked_mul(b.0), a.0.checked_mul(b.1), a.1.checked_mul(b.0), a.1.checked_mul(b.1)];
    let [Some(p), Some(q), Some(r), Some(s)] = products else { return Value::any(unsigned) };
    Value::fit(p.min(q).min(r).min(s), p.max(q).max(r).max(s), unsigned)
}

fn exact(x: i128, op: Arithmetic, y: i128, unsigned: bool) -> Value {
    let result = match op {
        Arithmetic::Div if y != 0 => x / y,
        Arithmetic::Rem if y != 0 => x % y,
        Arithmetic::And => x & y,
        Arithmetic::Or => x | y,
        Arithmetic::Xor => x ^ y,
        // A division by zero is an error of the text: only the type can be told.
        _ => return Value::any(unsigned),
    };
    Value::fit(result, result, unsigned)
}
