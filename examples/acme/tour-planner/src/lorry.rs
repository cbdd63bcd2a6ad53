//! Lorries, how far they go and what they burn on the way.

use acme_routes::place::distance_km as way;
use acme_routes::Place;

const LITRES_PER_KM: f64 = 0.28;

pub struct Lorry {
    pub plate: String,
    depot: Place,
}

impl Lorry {
    pub fn new(plate: &str, depot: Place) -> Self {
        Lorry { plate: plate.to_string(), depot }
    }

    /// The stops from which the lorry is back in the evening.
    pub fn reachable(&self, stops: Vec<Place>) -> Vec<Place> {
        stops.into_iter().filter(|stop| self.depot.is_day_trip(stop)).collect()
    }

    pub fn litres_to(&self, stop: &Place) -> f64 {
        way(&self.depot, stop) * LITRES_PER_KM
    }
}
