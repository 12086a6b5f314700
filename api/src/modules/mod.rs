//! The modules, one file each.

mod backend;
mod circuit_breaker;
mod compression;
mod headers;
mod ip_restriction;
mod mutual_tls;
mod switch;
mod tls_termination;
mod user_agent_filter;
mod webhook_verification;
mod websocket_tcp_converter;

pub use backend::{Backend, BackendView};
pub use circuit_breaker::{BUCKET_LIMIT, CircuitBreaker, CircuitBreakerView};
pub use compression::Compression;
pub use headers::{HeaderChanges, HeaderChangesView, RequestHeaders, ResponseHeaders};
pub use ip_restriction::{IpRestriction, IpRestrictionView, POLICY_LIMIT};
pub use mutual_tls::{AUTHORITY_LIMIT, MutualTls, MutualTlsView};
pub use switch::SwitchView;
pub use tls_termination::{HttpsTermination, TerminateAt, TerminationView, TlsTermination, TlsVersion};
pub use user_agent_filter::{UserAgentFilter, UserAgentFilterView};
pub use webhook_verification::{WEBHOOK_SECRET_LIMIT, WebhookVerification, WebhookVerificationView};
pub use websocket_tcp_converter::WebsocketTcpConverter;
