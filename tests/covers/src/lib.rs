//! [`macro@covers`] names the requirements that a test covers.
//!
//! The ids are operations of the API (`GET /api/v1/movies`), error codes (`code busy`), limits (`limit BODY_BYTES`) and
//! the ids of `tests/requirements.txt`. The guard `coverage` of `tests/suite` reads the attributes from the sources. It
//! fails for a requirement that no test covers and for an id that is no requirement. This crate checks only what the
//! compiler sees of one test.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Names the requirements that a test covers. The test itself stays as it is.
///
/// The attribute stands above the test attribute, whose last path segment is `test`:
///
/// ```
/// use svc_covers::covers;
///
/// #[covers("GET /api/v1/movies", "T12")]
/// #[test]
/// fn movies_are_listed() {}
/// ```
///
/// # Errors
///
/// An attribute without an id does not compile:
///
/// ```compile_fail
/// # use svc_covers::covers;
/// #[covers()]
/// #[test]
/// fn movies_are_listed() {}
/// ```
///
/// An id is a string literal, since the guard reads the source:
///
/// ```compile_fail
/// # use svc_covers::covers;
/// const ID: &str = "T12";
///
/// #[covers(ID)]
/// #[test]
/// fn movies_are_listed() {}
/// ```
///
/// A function that is not a test covers nothing:
///
/// ```compile_fail
/// # use svc_covers::covers;
/// #[covers("T12")]
/// fn movies_are_listed() {}
/// ```
///
/// Nor does an attribute below the test attribute compile in a test build: by then the compiler has removed the test
/// attribute.
#[expect(
    clippy::test_attr_in_doctest,
    reason = "the attribute is for tests, and the examples are compiled"
)]
#[proc_macro_attribute]
pub fn covers(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match check_ids(arguments).and_then(|()| check_item(item.clone())) {
        Ok(()) => item,
        Err(misuse) => [misuse.into_compile_error(), item].into_iter().collect(),
    }
}

/// A use of the attribute that does not compile.
struct Misuse {
    at: Span,
    message: &'static str,
}

/// Whether the arguments are one or more string literals with commas between them.
fn check_ids(arguments: TokenStream) -> Result<(), Misuse> {
    let misuse = |at, message| Err(Misuse { at, message });
    let mut arguments = arguments.into_iter();
    let mut ids = 0;
    while let Some(id) = arguments.next() {
        if !matches!(&id, TokenTree::Literal(literal) if literal.to_string().starts_with('"')) {
            return misuse(id.span(), "the id of a requirement is a string literal");
        }
        ids += 1;
        match arguments.next() {
            Some(TokenTree::Punct(comma)) if comma.as_char() == ',' => {}
            Some(other) => return misuse(other.span(), "expected `,` between the ids of requirements"),
            None => break,
        }
    }
    if ids == 0 {
        return misuse(Span::call_site(), "name at least one requirement");
    }
    Ok(())
}

/// Whether one of the item's remaining attributes is a test attribute.
fn check_item(item: TokenStream) -> Result<(), Misuse> {
    let mut tokens = item.into_iter();
    while let Some(TokenTree::Punct(hash)) = tokens.next()
        && hash.as_char() == '#'
    {
        if let Some(TokenTree::Group(attribute)) = tokens.next()
            && is_test(&attribute)
        {
            return Ok(());
        }
    }
    Err(Misuse {
        at: Span::call_site(),
        message: "`#[covers(…)]` stands above the `#[test]` or `#[tokio::test]` of a function",
    })
}

/// Whether the last segment of the attribute's path is `test`: `[test]`, `[tokio::test(flavor = "multi_thread")]`.
fn is_test(attribute: &Group) -> bool {
    let tokens = attribute.stream().into_iter();
    let path = tokens.take_while(|token| match token {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == ':',
        TokenTree::Group(_) | TokenTree::Literal(_) => false,
    });
    matches!(path.last(), Some(TokenTree::Ident(name)) if name.to_string() == "test")
}

impl Misuse {
    fn into_compile_error(self) -> TokenStream {
        let message = TokenTree::from(Literal::string(self.message));
        let tokens = [
            TokenTree::from(Ident::new("compile_error", self.at)),
            Punct::new('!', Spacing::Alone).into(),
            Group::new(Delimiter::Brace, message.into()).into(),
        ];
        tokens
            .into_iter()
            .map(|mut token| {
                token.set_span(self.at);
                token
            })
            .collect()
    }
}
