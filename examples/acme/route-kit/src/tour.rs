//! The order in which to visit places.

use crate::place::{distance_km, Place};

/// Always drives to the nearest place that is left. Good enough for a lorry with twenty stops.
pub fn nearest_first(start: Place, mut stops: Vec<Place>) -> Vec<Place> {
    let mut tour = Vec::with_capacity(stops.len());
    let mut here = start;
    while !stops.is_empty() {
        let next = nearest(&here, &stops);
        here = stops.swap_remove(next);
        tour.push(here);
    }
    tour
}

fn nearest(here: &Place, stops: &[Place]) -> usize {
    let mut best = 0;
    for index in 1..stops.len() {
        if distance_km(here, &stops[index]) < distance_km(here, &stops[best]) {
            best = index;
        }
    }
    best
}

/// How long a tour is, from the start to the last stop.
pub fn length_km(start: &Place, tour: &[Place]) -> f64 {
    let mut here = start;
    let mut total = 0.0;
    for stop in tour {
        total += distance_km(here, stop);
        here = stop;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_place_comes_first() {
        let start = Place::new(52.5, 13.4);
        let (near, far) = (Place::new(52.4, 13.1), Place::new(48.1, 11.6));
        assert_eq!(nearest_first(start, vec![far, near]), vec![near, far]);
    }
}
