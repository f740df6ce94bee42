//! Values whose types the compiler does not look into.

use std::fmt;
use std::ops::Deref;

/// A value behind a trait object. The compiler proves once that it is `Send` and `Sync`, and not again in each future that
/// holds it: for the services of the server, the connections of sqlx and the code of wasmtime that takes minutes.
pub struct Erased<T: 'static>(Box<dyn Held<T>>);

trait Held<T>: Send + Sync {
    fn held(&self) -> &T;
}

impl<T: Send + Sync> Held<T> for T {
    fn held(&self) -> &T {
        self
    }
}

impl<T: Send + Sync> Erased<T> {
    /// Wraps a value.
    pub fn new(value: T) -> Self {
        Self(Box::new(value))
    }
}

impl<T> Deref for Erased<T> {
    type Target = T;

    fn deref(&self) -> &T {
        (*self.0).held()
    }
}

impl<T: fmt::Debug> fmt::Debug for Erased<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
