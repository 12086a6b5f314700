//! Variables in header values: `${name}` is replaced by a fact about the connection, the request or its response.

macro_rules! variables {
    ($($variant:ident = $name:literal, $sentence:literal;)*) => {
        /// A variable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Variable {
            $(#[doc = $sentence] $variant,)*
        }

        impl Variable {
            /// All variables.
            pub const ALL: &[Variable] = &[$(Variable::$variant),*];

            /// Name between `${` and `}`.
            pub const fn name(self) -> &'static str {
                match self { $(Variable::$variant => $name,)* }
            }

            /// Meaning.
            pub const fn sentence(self) -> &'static str {
                match self { $(Variable::$variant => $sentence,)* }
            }
        }
    };
}

variables! {
    ClientIp = "conn.client_ip", "The address of the visitor's socket.";
    ClientPort = "conn.client_port", "The port of the visitor's socket.";
    TlsVersion = "conn.tls.version", "The version of TLS the visitor speaks, such as 1.3; empty without TLS.";
    TlsCipherSuite = "conn.tls.cipher_suite", "The cipher suite of the connection; empty without TLS.";
    TlsSni = "conn.tls.sni", "The server name the visitor named in the handshake; empty without one.";
    Country = "geo.country", "The country of the visitor's address by --geoip, ISO 3166-1 alpha-2 in upper case; empty when unknown.";
    Continent = "geo.continent", "The continent of the visitor's address, such as EU; empty when unknown.";
    City = "geo.city", "The English name of the city of the visitor's address; empty when the database has none.";
    Asn = "geo.asn", "The number of the autonomous system of the visitor's address; empty when the database has none.";
    Id = "req.id", "The id of the request, which is also in the log and on error pages.";
    Method = "req.method", "The method of the request.";
    Scheme = "req.scheme", "https or http.";
    Host = "req.host", "The host the request is for: in lower case, without a port.";
    Path = "req.path", "The path of the request as it was sent.";
    Query = "req.query", "The query of the request as it was sent, without the question mark.";
    Version = "req.version", "The version of HTTP the visitor speaks: 1.0, 1.1 or 2.";
    Status = "res.status", "The status of the response; empty in the headers of requests.";
}

/// Part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Literal text.
    Text(&'a str),
    /// A variable. Unknown names are replaced by the empty text.
    Variable(Option<Variable>),
}

/// Parts of a value in order. An unclosed `${` is literal text.
pub fn pieces(value: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = value;
    std::iter::from_fn(move || {
        let opened = rest.find("${").filter(|at| rest[*at..].contains('}'));
        let (piece, after) = match opened {
            None if rest.is_empty() => return None,
            None => (Piece::Text(rest), ""),
            Some(0) => {
                let (name, after) = rest[2..].split_once('}')?;
                let name = name.trim();
                (Piece::Variable(Variable::ALL.iter().find(|known| known.name() == name).copied()), after)
            }
            Some(at) => (Piece::Text(&rest[..at]), &rest[at..]),
        };
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_fall_into_text_and_variables() {
        use Piece::{Text, Variable as Var};
        let table: &[(&str, &[Piece<'_>])] = &[
            ("", &[]),
            ("plain $ {text}", &[Text("plain $ {text}")]),
            ("${conn.client_ip}", &[Var(Some(Variable::ClientIp))]),
            ("a-${ req.id }/b", &[Text("a-"), Var(Some(Variable::Id)), Text("/b")]),
            ("${req.host}${req.path}", &[Var(Some(Variable::Host)), Var(Some(Variable::Path))]),
            ("x${unknown}y${}", &[Text("x"), Var(None), Text("y"), Var(None)]),
            ("${REQ.ID}", &[Var(None)]),
            ("open ${req.id", &[Text("open ${req.id")]),
            ("} ${", &[Text("} ${")]),
            ("${a${req.id}", &[Var(None)]),
        ];
        for (value, expected) in table {
            assert_eq!(pieces(value).collect::<Vec<_>>(), *expected, "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_value_ends_and_its_text_stands_in_it(value in "[${}a.é ]{0,40}") {
            for piece in pieces(&value) {
                if let Piece::Text(text) = piece {
                    prop_assert!(!text.is_empty() && value.contains(text));
                }
            }
        }
    }

    #[test]
    fn every_variable_stands_in_the_documentation() {
        let page = include_str!("../../../docs/headers.md");
        for variable in Variable::ALL {
            let row = format!("| `${{{}}}` | {} |", variable.name(), variable.sentence());
            assert!(page.contains(&row), "docs/headers.md has no row: {row}");
        }
    }
}
