//! How large a coefficient of friction may be.

/// The largest coefficient of friction.
///
/// The exact law judges `u_n + mu ‖u_t‖`, in which the normal velocity `u_n` is known to
/// `2e-16 mu ‖u_t‖`. With this bound that is 2e-10 of the slip, well below the default tolerance of
/// 1e-8. With 1e16 the normal velocity would be lost altogether, and a body could fall through a
/// floor that passes for solved. Surfaces have coefficients of order one; 1e6 never slips.
pub const LARGEST_FRICTION: f64 = 1e6;

/// What a coefficient of friction should be, where it is not: one that is not a number >= 0, or one
/// beyond [`LARGEST_FRICTION`].
pub fn expected_friction(value: f64) -> Option<&'static str> {
    if !(value.is_finite() && value >= 0.0) {
        Some("a finite number >= 0")
    } else if value > LARGEST_FRICTION {
        Some("a number from 0 to 1e6 (with more, rounding would hide the normal velocity)")
    } else {
        None
    }
}
