//! The contract of the agent's local API: requests, responses and events, for the agent, the desktop app and the web app.
//!
//! The agent serves the same types as an OpenAPI description at `/api/openapi.json`. Durations are nanoseconds, sizes are
//! bytes, times are RFC 3339.

mod captured;
mod configuration;
mod diagnosis;
mod error;
mod events;
mod ports;
mod status;
mod tunnels;

pub use captured::{
    AnnotationChange, CaptureTiming, CapturedRequest, CapturedRequestMessage, CapturedResponseMessage, CurlCommand,
    EventFields, FrameKind, FrameList, FrameSender, FrameView, HarImport, MessageFlags, ReplayCommand, ReplayHeaders,
    ReplayPath, RequestList, RequestSummary, SummaryList,
};
pub use configuration::{ConfigurationCheck, ConfigurationEdit, ConfigurationProblem, ConfigurationText};
pub use diagnosis::{DiagnosisCheck, DiagnosisReport, DiagnosisVerdict};
pub use error::{LocalApiError, LocalErrorDetails};
pub use events::{LocalEvent, RequestDeleted, RequestsDeleted, RequestsMissed};
pub use ports::{ListeningPort, ListeningPortList, PortProtocol, TunnelProtocol};
pub use status::{AgentState, AgentStatus, ApiIndex, CaptureGauge, Reason, SessionLeg, SessionState, SessionView};
pub use tunnels::{
    ConfiguredTunnel, ConfiguredTunnelList, ConnectionMetrics, EndpointList, EndpointUpstream, EndpointView,
    RequestMetrics, RunningTunnel, RunningTunnelConfig, RunningTunnelList, SampleResponse, TunnelDefinition,
    TunnelMetrics, TunnelState,
};
