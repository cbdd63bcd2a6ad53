//! Reads an index with the format's own crate: the message, and each symbol, which is described.
//! Prints the number of documents, definitions, other occurrences and external symbols.

use protobuf::Message;
use scip::{symbol::parse_symbol, types::Index};
use std::collections::HashSet;

fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let index = Index::parse_from_bytes(&std::fs::read(path).unwrap()).expect("an index");
    let (mut definitions, mut others) = (0, 0);
    let known = index.documents.iter().flat_map(|one| &one.symbols).chain(&index.external_symbols);
    let names: HashSet<&str> = known.clone().map(|one| one.symbol.as_str()).collect();
    for one in known {
        check(&one.symbol, &names);
        one.relationships.iter().for_each(|base| check(&base.symbol, &names));
    }
    for one in index.documents.iter().flat_map(|one| &one.occurrences) {
        check(&one.symbol, &names);
        let place = if one.symbol_roles & 1 == 1 { &mut definitions } else { &mut others };
        *place += 1;
    }
    let (documents, external) = (index.documents.len(), index.external_symbols.len());
    println!("{documents} {definitions} {others} {external}");
}

fn check(symbol: &str, known: &HashSet<&str>) {
    assert!(known.contains(symbol), "{symbol}: not described");
    if let Err(error) = parse_symbol(symbol) {
        panic!("{symbol}: {error:?}");
    }
}
