//! Places on the earth, the way between them, and the order in which to visit them.

pub mod place;
pub mod tour;

pub use place::{distance_km, Place};
pub use tour::nearest_first as plan_tour;
