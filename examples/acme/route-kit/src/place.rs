//! Places and the distance between two of them.

const EARTH_RADIUS_KM: f64 = 6371.0;

/// A place by latitude and longitude in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub latitude: f64,
    pub longitude: f64,
}

impl Place {
    pub fn new(latitude: f64, longitude: f64) -> Self {
        Place { latitude, longitude }
    }

    /// Whether a lorry from here reaches the other place and is back on the same day.
    pub fn is_day_trip(&self, other: &Place) -> bool {
        distance_km(self, other) < 250.0
    }
}

/// The way along the earth's surface, by the haversine formula.
pub fn distance_km(from: &Place, to: &Place) -> f64 {
    let half = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
    let a = half(to.latitude - from.latitude)
        + from.latitude.to_radians().cos() * to.latitude.to_radians().cos() * half(to.longitude - from.longitude);
    2.0 * EARTH_RADIUS_KM * a.sqrt().asin()
}
