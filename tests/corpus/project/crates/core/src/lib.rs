// SPDX-License-Identifier: MIT
//! Prices and baskets.

use std::collections::HashMap;

pub struct Basket {
    prices: HashMap<String, u64>,
}

impl Basket {
    pub fn price(&self, name: &str) -> u64 {
        *self.prices.get(name).unwrap()
    }

    pub fn total(&self) -> u64 {
        self.prices.values().sum()
    }

    pub fn first(&self) -> u64 {
        self.prices
            .values()
            .copied()
            .next()
            .unwrap()
    }
}
