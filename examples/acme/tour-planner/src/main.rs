mod lorry;

use acme_routes::{plan_tour, Place};
use lorry::Lorry;

fn main() {
    let depot = Place::new(52.52, 13.40);
    let stops = vec![Place::new(52.40, 13.06), Place::new(51.34, 12.37), Place::new(53.55, 9.99)];
    let lorry = Lorry::new("B-AC 1", depot);
    println!("{}", lorry.plate);
    for stop in plan_tour(depot, lorry.reachable(stops)) {
        println!("{stop:?}, {:.1} litres", lorry.litres_to(&stop));
    }
}
