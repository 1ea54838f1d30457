//! A crate.
use std::collections::{HashMap, HashSet as Set};
use crate::core::error::Failed;

pub const LIMIT: u32 = 3;

/// Holds things.
pub struct Store<T> { items: Vec<T> }
pub enum Kind { A, B(u8) }
pub trait Sized2 { fn size(&self) -> usize; }
type Names = Vec<String>;

impl<T> Store<T> {
    pub fn put(&mut self, item: T) { self.items.push(item); check!(item); helper(1) }
}

mod inner { pub fn deep() { super::helper(2); } }
fn helper(n: u32) -> Kind { Kind::B(n as u8) }
macro_rules! check { ($e:expr) => {}; }
