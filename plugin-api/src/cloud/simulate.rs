//! What stands for the host outside the sandbox, for tests: an answer to each request, a time, a store. Each thread has
//! its own.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::cloud::message::{HttpError, Request, Response};

type Answer = Box<dyn FnMut(&Request) -> Result<Response, HttpError>>;

/// Bytes of all keys and values of a plugin, as in the server.
const STATE_BYTES: usize = 64 * 1024;

thread_local! {
    static ANSWER: RefCell<Option<Answer>> = const { RefCell::new(None) };
    static TIME: Cell<u64> = const { Cell::new(0) };
    static STATE: RefCell<HashMap<String, Vec<u8>>> = RefCell::default();
}

/// Answers the requests of this thread from now on. Without a call every request is `Unreachable`.
pub fn requests(answer: impl FnMut(&Request) -> Result<Response, HttpError> + 'static) {
    ANSWER.set(Some(Box::new(answer)));
}

/// Sets the clock of this thread, in milliseconds since 1970. Without a call it is 0.
pub fn clock(millis: u64) {
    TIME.set(millis);
}

/// Empties the store of this thread.
pub fn empty_state() {
    STATE.take();
}

pub(crate) fn answer(request: &Request) -> Result<Response, HttpError> {
    ANSWER.with_borrow_mut(|answer| match answer {
        Some(answer) => answer(request),
        None => Err(HttpError::Unreachable),
    })
}

pub(crate) fn time() -> u64 {
    TIME.get()
}

pub(crate) fn stored(key: &str) -> Option<Vec<u8>> {
    STATE.with_borrow(|state| state.get(key).cloned())
}

pub(crate) fn store(key: &str, value: Option<&[u8]>) -> Result<(), String> {
    STATE.with_borrow_mut(|state| {
        let before = state.remove(key);
        let Some(value) = value else { return Ok(()) };
        let others: usize = state.iter().map(|(key, value)| key.len() + value.len()).sum();
        if others + key.len() + value.len() <= STATE_BYTES {
            state.insert(key.to_owned(), value.to_vec());
            return Ok(());
        }
        if let Some(before) = before {
            state.insert(key.to_owned(), before);
        }
        Err("all keys and values together would have more than 64 KiB".to_owned())
    })
}
