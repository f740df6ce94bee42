//! Values whose types the compiler does not look into.

use std::ops::Deref;

/// A value behind a trait object: the compiler need not check wasmtime's types for `Send` and `Sync` in each future of
/// the server that holds plugins, which takes minutes.
pub(super) struct Erased<T: 'static>(Box<dyn Held<T>>);

trait Held<T>: Send + Sync {
    fn held(&self) -> &T;
}

impl<T: Send + Sync> Held<T> for T {
    fn held(&self) -> &T {
        self
    }
}

impl<T: Send + Sync> Erased<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Box::new(value))
    }
}

impl<T> Deref for Erased<T> {
    type Target = T;

    fn deref(&self) -> &T {
        (*self.0).held()
    }
}
