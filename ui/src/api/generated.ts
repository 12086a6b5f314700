// Paths, bodies and responses of the management API. Made from api/openapi.json by `npm run gen`, never edited.

export interface paths {
  "/agents": {
    parameters: {};
    /** List agents */
    get: operations["list_agents"];
  };
  "/agents/{id}": {
    parameters: {};
    /** Get agent */
    get: operations["get_agent"];
    /** Delete agent */
    delete: operations["delete_agent"];
  };
  "/alert_rules": {
    parameters: {};
    /** List alert rules */
    get: operations["list_alert_rules"];
    /** Create alert rule */
    post: operations["create_alert_rule"];
  };
  "/alert_rules/{id}": {
    parameters: {};
    /** Get alert rule */
    get: operations["get_alert_rule"];
    /** Delete alert rule */
    delete: operations["delete_alert_rule"];
    /** Update alert rule */
    patch: operations["update_alert_rule"];
  };
  "/api_keys": {
    parameters: {};
    /** List API keys */
    get: operations["list_api_keys"];
    /** Create API key */
    post: operations["create_api_key"];
  };
  "/api_keys/{id}": {
    parameters: {};
    /** Get API key */
    get: operations["get_api_key"];
    /** Delete API key */
    delete: operations["delete_api_key"];
    /** Update API key */
    patch: operations["update_api_key"];
  };
  "/app/sessions": {
    parameters: {};
    /** List app sessions */
    get: operations["list_app_sessions"];
  };
  "/app/sessions/{id}": {
    parameters: {};
    /** Get app session */
    get: operations["get_app_session"];
    /** Delete app session */
    delete: operations["delete_app_session"];
  };
  "/app/users": {
    parameters: {};
    /** List app users */
    get: operations["list_app_users"];
  };
  "/app/users/{id}": {
    parameters: {};
    /** Get app user */
    get: operations["get_app_user"];
    /** Delete app user */
    delete: operations["delete_app_user"];
  };
  "/audit_events": {
    parameters: {};
    /** List audit events */
    get: operations["list_audit_events"];
  };
  "/audit_events/{id}": {
    parameters: {};
    /** Get audit event */
    get: operations["get_audit_event"];
  };
  "/backends/failover": {
    parameters: {};
    /** List failover backends */
    get: operations["list_failover_backends"];
    /** Create failover backend */
    post: operations["create_failover_backend"];
  };
  "/backends/failover/{id}": {
    parameters: {};
    /** Get failover backend */
    get: operations["get_failover_backend"];
    /** Delete failover backend */
    delete: operations["delete_failover_backend"];
    /** Update failover backend */
    patch: operations["update_failover_backend"];
  };
  "/backends/failover/{id}/dependents": {
    parameters: {};
    /** List the dependents of failover backend */
    get: operations["list_failover_backend_dependents"];
  };
  "/backends/http_response": {
    parameters: {};
    /** List HTTP response backends */
    get: operations["list_http_response_backends"];
    /** Create HTTP response backend */
    post: operations["create_http_response_backend"];
  };
  "/backends/http_response/{id}": {
    parameters: {};
    /** Get HTTP response backend */
    get: operations["get_http_response_backend"];
    /** Delete HTTP response backend */
    delete: operations["delete_http_response_backend"];
    /** Update HTTP response backend */
    patch: operations["update_http_response_backend"];
  };
  "/backends/http_response/{id}/dependents": {
    parameters: {};
    /** List the dependents of HTTP response backend */
    get: operations["list_http_response_backend_dependents"];
  };
  "/backends/static": {
    parameters: {};
    /** List static backends */
    get: operations["list_static_backends"];
    /** Create static backend */
    post: operations["create_static_backend"];
  };
  "/backends/static/{id}": {
    parameters: {};
    /** Get static backend */
    get: operations["get_static_backend"];
    /** Delete static backend */
    delete: operations["delete_static_backend"];
    /** Update static backend */
    patch: operations["update_static_backend"];
  };
  "/backends/static/{id}/dependents": {
    parameters: {};
    /** List the dependents of static backend */
    get: operations["list_static_backend_dependents"];
  };
  "/backends/tunnel_group": {
    parameters: {};
    /** List tunnel group backends */
    get: operations["list_tunnel_group_backends"];
    /** Create tunnel group backend */
    post: operations["create_tunnel_group_backend"];
  };
  "/backends/tunnel_group/{id}": {
    parameters: {};
    /** Get tunnel group backend */
    get: operations["get_tunnel_group_backend"];
    /** Delete tunnel group backend */
    delete: operations["delete_tunnel_group_backend"];
    /** Update tunnel group backend */
    patch: operations["update_tunnel_group_backend"];
  };
  "/backends/tunnel_group/{id}/dependents": {
    parameters: {};
    /** List the dependents of tunnel group backend */
    get: operations["list_tunnel_group_backend_dependents"];
  };
  "/backends/weighted": {
    parameters: {};
    /** List weighted backends */
    get: operations["list_weighted_backends"];
    /** Create weighted backend */
    post: operations["create_weighted_backend"];
  };
  "/backends/weighted/{id}": {
    parameters: {};
    /** Get weighted backend */
    get: operations["get_weighted_backend"];
    /** Delete weighted backend */
    delete: operations["delete_weighted_backend"];
    /** Update weighted backend */
    patch: operations["update_weighted_backend"];
  };
  "/backends/weighted/{id}/dependents": {
    parameters: {};
    /** List the dependents of weighted backend */
    get: operations["list_weighted_backend_dependents"];
  };
  "/bot_users": {
    parameters: {};
    /** List bot users */
    get: operations["list_bot_users"];
    /** Create bot user */
    post: operations["create_bot_user"];
  };
  "/bot_users/{id}": {
    parameters: {};
    /** Get bot user */
    get: operations["get_bot_user"];
    /** Delete bot user */
    delete: operations["delete_bot_user"];
    /** Update bot user */
    patch: operations["update_bot_user"];
  };
  "/bot_users/{id}/dependents": {
    parameters: {};
    /** List the dependents of bot user */
    get: operations["list_bot_user_dependents"];
  };
  "/certificate_authorities": {
    parameters: {};
    /** List certificate authorities */
    get: operations["list_certificate_authorities"];
    /** Create certificate authority */
    post: operations["create_certificate_authority"];
  };
  "/certificate_authorities/{id}": {
    parameters: {};
    /** Get certificate authority */
    get: operations["get_certificate_authority"];
    /** Delete certificate authority */
    delete: operations["delete_certificate_authority"];
    /** Update certificate authority */
    patch: operations["update_certificate_authority"];
  };
  "/certificate_authorities/{id}/dependents": {
    parameters: {};
    /** List the dependents of certificate authority */
    get: operations["list_certificate_authority_dependents"];
  };
  "/console_sessions": {
    parameters: {};
    /** Sign in to the console with the API key of the call */
    post: operations["create_console_session"];
    /** Sign out of the console everywhere */
    delete: operations["delete_console_sessions"];
  };
  "/console_sessions/current": {
    parameters: {};
    /** Get the console session that the call is made in */
    get: operations["get_console_session"];
    /** Sign out of the console */
    delete: operations["delete_console_session"];
  };
  "/credentials": {
    parameters: {};
    /** List credentials */
    get: operations["list_credentials"];
    /** Create credential */
    post: operations["create_credential"];
  };
  "/credentials/{id}": {
    parameters: {};
    /** Get credential */
    get: operations["get_credential"];
    /** Delete credential */
    delete: operations["delete_credential"];
    /** Update credential */
    patch: operations["update_credential"];
  };
  "/edges/https": {
    parameters: {};
    /** List HTTPS edges */
    get: operations["list_https_edges"];
    /** Create HTTPS edge */
    post: operations["create_https_edge"];
  };
  "/edges/https/{edge_id}/routes": {
    parameters: {};
    /** Create HTTPS route */
    post: operations["create_https_route"];
  };
  "/edges/https/{edge_id}/routes/{id}": {
    parameters: {};
    /** Get HTTPS route */
    get: operations["get_https_route"];
    /** Delete HTTPS route */
    delete: operations["delete_https_route"];
    /** Update HTTPS route */
    patch: operations["update_https_route"];
  };
  "/edges/https/{edge_id}/routes/{id}/backend": {
    parameters: {};
    /** Get backend of HTTPS route */
    get: operations["get_https_route_backend"];
    /** Put backend of HTTPS route */
    put: operations["put_https_route_backend"];
    /** Delete backend of HTTPS route */
    delete: operations["delete_https_route_backend"];
  };
  "/edges/https/{edge_id}/routes/{id}/basic_auth": {
    parameters: {};
    /** Get basic auth of HTTPS route */
    get: operations["get_https_route_basic_auth"];
    /** Put basic auth of HTTPS route */
    put: operations["put_https_route_basic_auth"];
    /** Delete basic auth of HTTPS route */
    delete: operations["delete_https_route_basic_auth"];
  };
  "/edges/https/{edge_id}/routes/{id}/circuit_breaker": {
    parameters: {};
    /** Get circuit breaker of HTTPS route */
    get: operations["get_https_route_circuit_breaker"];
    /** Put circuit breaker of HTTPS route */
    put: operations["put_https_route_circuit_breaker"];
    /** Delete circuit breaker of HTTPS route */
    delete: operations["delete_https_route_circuit_breaker"];
  };
  "/edges/https/{edge_id}/routes/{id}/compression": {
    parameters: {};
    /** Get compression of HTTPS route */
    get: operations["get_https_route_compression"];
    /** Put compression of HTTPS route */
    put: operations["put_https_route_compression"];
    /** Delete compression of HTTPS route */
    delete: operations["delete_https_route_compression"];
  };
  "/edges/https/{edge_id}/routes/{id}/error_pages": {
    parameters: {};
    /** Get error pages of HTTPS route */
    get: operations["get_https_route_error_pages"];
    /** Put error pages of HTTPS route */
    put: operations["put_https_route_error_pages"];
    /** Delete error pages of HTTPS route */
    delete: operations["delete_https_route_error_pages"];
  };
  "/edges/https/{edge_id}/routes/{id}/ip_restriction": {
    parameters: {};
    /** Get IP restriction of HTTPS route */
    get: operations["get_https_route_ip_restriction"];
    /** Put IP restriction of HTTPS route */
    put: operations["put_https_route_ip_restriction"];
    /** Delete IP restriction of HTTPS route */
    delete: operations["delete_https_route_ip_restriction"];
  };
  "/edges/https/{edge_id}/routes/{id}/maintenance": {
    parameters: {};
    /** Get maintenance of HTTPS route */
    get: operations["get_https_route_maintenance"];
    /** Put maintenance of HTTPS route */
    put: operations["put_https_route_maintenance"];
    /** Delete maintenance of HTTPS route */
    delete: operations["delete_https_route_maintenance"];
  };
  "/edges/https/{edge_id}/routes/{id}/oauth": {
    parameters: {};
    /** Get OAuth of HTTPS route */
    get: operations["get_https_route_oauth"];
    /** Put OAuth of HTTPS route */
    put: operations["put_https_route_oauth"];
    /** Delete OAuth of HTTPS route */
    delete: operations["delete_https_route_oauth"];
  };
  "/edges/https/{edge_id}/routes/{id}/oidc": {
    parameters: {};
    /** Get OIDC of HTTPS route */
    get: operations["get_https_route_oidc"];
    /** Put OIDC of HTTPS route */
    put: operations["put_https_route_oidc"];
    /** Delete OIDC of HTTPS route */
    delete: operations["delete_https_route_oidc"];
  };
  "/edges/https/{edge_id}/routes/{id}/rate_limit": {
    parameters: {};
    /** Get rate limit of HTTPS route */
    get: operations["get_https_route_rate_limit"];
    /** Put rate limit of HTTPS route */
    put: operations["put_https_route_rate_limit"];
    /** Delete rate limit of HTTPS route */
    delete: operations["delete_https_route_rate_limit"];
  };
  "/edges/https/{edge_id}/routes/{id}/redirect": {
    parameters: {};
    /** Get redirect of HTTPS route */
    get: operations["get_https_route_redirect"];
    /** Put redirect of HTTPS route */
    put: operations["put_https_route_redirect"];
    /** Delete redirect of HTTPS route */
    delete: operations["delete_https_route_redirect"];
  };
  "/edges/https/{edge_id}/routes/{id}/request_headers": {
    parameters: {};
    /** Get request headers of HTTPS route */
    get: operations["get_https_route_request_headers"];
    /** Put request headers of HTTPS route */
    put: operations["put_https_route_request_headers"];
    /** Delete request headers of HTTPS route */
    delete: operations["delete_https_route_request_headers"];
  };
  "/edges/https/{edge_id}/routes/{id}/requests": {
    parameters: {};
    /** List the last requests of HTTPS route */
    get: operations["list_https_route_requests"];
  };
  "/edges/https/{edge_id}/routes/{id}/response_headers": {
    parameters: {};
    /** Get response headers of HTTPS route */
    get: operations["get_https_route_response_headers"];
    /** Put response headers of HTTPS route */
    put: operations["put_https_route_response_headers"];
    /** Delete response headers of HTTPS route */
    delete: operations["delete_https_route_response_headers"];
  };
  "/edges/https/{edge_id}/routes/{id}/rewrite": {
    parameters: {};
    /** Get rewrite of HTTPS route */
    get: operations["get_https_route_rewrite"];
    /** Put rewrite of HTTPS route */
    put: operations["put_https_route_rewrite"];
    /** Delete rewrite of HTTPS route */
    delete: operations["delete_https_route_rewrite"];
  };
  "/edges/https/{edge_id}/routes/{id}/saml": {
    parameters: {};
    /** Get SAML of HTTPS route */
    get: operations["get_https_route_saml"];
    /** Put SAML of HTTPS route */
    put: operations["put_https_route_saml"];
    /** Delete SAML of HTTPS route */
    delete: operations["delete_https_route_saml"];
  };
  "/edges/https/{edge_id}/routes/{id}/user_agent_filter": {
    parameters: {};
    /** Get user agent filter of HTTPS route */
    get: operations["get_https_route_user_agent_filter"];
    /** Put user agent filter of HTTPS route */
    put: operations["put_https_route_user_agent_filter"];
    /** Delete user agent filter of HTTPS route */
    delete: operations["delete_https_route_user_agent_filter"];
  };
  "/edges/https/{edge_id}/routes/{id}/webhook_verification": {
    parameters: {};
    /** Get webhook verification of HTTPS route */
    get: operations["get_https_route_webhook_verification"];
    /** Put webhook verification of HTTPS route */
    put: operations["put_https_route_webhook_verification"];
    /** Delete webhook verification of HTTPS route */
    delete: operations["delete_https_route_webhook_verification"];
  };
  "/edges/https/{edge_id}/routes/{id}/websocket_tcp_converter": {
    parameters: {};
    /** Get WebSocket TCP converter of HTTPS route */
    get: operations["get_https_route_websocket_tcp_converter"];
    /** Put WebSocket TCP converter of HTTPS route */
    put: operations["put_https_route_websocket_tcp_converter"];
    /** Delete WebSocket TCP converter of HTTPS route */
    delete: operations["delete_https_route_websocket_tcp_converter"];
  };
  "/edges/https/{id}": {
    parameters: {};
    /** Get HTTPS edge */
    get: operations["get_https_edge"];
    /** Delete HTTPS edge */
    delete: operations["delete_https_edge"];
    /** Update HTTPS edge */
    patch: operations["update_https_edge"];
  };
  "/edges/https/{id}/decisions": {
    parameters: {};
    /** List the latest refusals of HTTPS edge */
    get: operations["list_https_edge_decisions"];
  };
  "/edges/https/{id}/mutual_tls": {
    parameters: {};
    /** Get mutual TLS of HTTPS edge */
    get: operations["get_https_edge_mutual_tls"];
    /** Put mutual TLS of HTTPS edge */
    put: operations["put_https_edge_mutual_tls"];
    /** Delete mutual TLS of HTTPS edge */
    delete: operations["delete_https_edge_mutual_tls"];
  };
  "/edges/https/{id}/requests": {
    parameters: {};
    /** List the last requests of HTTPS edge */
    get: operations["list_https_edge_requests"];
  };
  "/edges/https/{id}/tls_termination": {
    parameters: {};
    /** Get TLS termination of HTTPS edge */
    get: operations["get_https_edge_tls_termination"];
    /** Put TLS termination of HTTPS edge */
    put: operations["put_https_edge_tls_termination"];
    /** Delete TLS termination of HTTPS edge */
    delete: operations["delete_https_edge_tls_termination"];
  };
  "/edges/tcp": {
    parameters: {};
    /** List TCP edges */
    get: operations["list_tcp_edges"];
    /** Create TCP edge */
    post: operations["create_tcp_edge"];
  };
  "/edges/tcp/{id}": {
    parameters: {};
    /** Get TCP edge */
    get: operations["get_tcp_edge"];
    /** Delete TCP edge */
    delete: operations["delete_tcp_edge"];
    /** Update TCP edge */
    patch: operations["update_tcp_edge"];
  };
  "/edges/tcp/{id}/backend": {
    parameters: {};
    /** Get backend of TCP edge */
    get: operations["get_tcp_edge_backend"];
    /** Put backend of TCP edge */
    put: operations["put_tcp_edge_backend"];
    /** Delete backend of TCP edge */
    delete: operations["delete_tcp_edge_backend"];
  };
  "/edges/tcp/{id}/decisions": {
    parameters: {};
    /** List the latest refusals of TCP edge */
    get: operations["list_tcp_edge_decisions"];
  };
  "/edges/tcp/{id}/ip_restriction": {
    parameters: {};
    /** Get IP restriction of TCP edge */
    get: operations["get_tcp_edge_ip_restriction"];
    /** Put IP restriction of TCP edge */
    put: operations["put_tcp_edge_ip_restriction"];
    /** Delete IP restriction of TCP edge */
    delete: operations["delete_tcp_edge_ip_restriction"];
  };
  "/edges/tcp/{id}/rate_limit": {
    parameters: {};
    /** Get rate limit of TCP edge */
    get: operations["get_tcp_edge_rate_limit"];
    /** Put rate limit of TCP edge */
    put: operations["put_tcp_edge_rate_limit"];
    /** Delete rate limit of TCP edge */
    delete: operations["delete_tcp_edge_rate_limit"];
  };
  "/edges/tls": {
    parameters: {};
    /** List TLS edges */
    get: operations["list_tls_edges"];
    /** Create TLS edge */
    post: operations["create_tls_edge"];
  };
  "/edges/tls/{id}": {
    parameters: {};
    /** Get TLS edge */
    get: operations["get_tls_edge"];
    /** Delete TLS edge */
    delete: operations["delete_tls_edge"];
    /** Update TLS edge */
    patch: operations["update_tls_edge"];
  };
  "/edges/tls/{id}/backend": {
    parameters: {};
    /** Get backend of TLS edge */
    get: operations["get_tls_edge_backend"];
    /** Put backend of TLS edge */
    put: operations["put_tls_edge_backend"];
    /** Delete backend of TLS edge */
    delete: operations["delete_tls_edge_backend"];
  };
  "/edges/tls/{id}/decisions": {
    parameters: {};
    /** List the latest refusals of TLS edge */
    get: operations["list_tls_edge_decisions"];
  };
  "/edges/tls/{id}/ip_restriction": {
    parameters: {};
    /** Get IP restriction of TLS edge */
    get: operations["get_tls_edge_ip_restriction"];
    /** Put IP restriction of TLS edge */
    put: operations["put_tls_edge_ip_restriction"];
    /** Delete IP restriction of TLS edge */
    delete: operations["delete_tls_edge_ip_restriction"];
  };
  "/edges/tls/{id}/mutual_tls": {
    parameters: {};
    /** Get mutual TLS of TLS edge */
    get: operations["get_tls_edge_mutual_tls"];
    /** Put mutual TLS of TLS edge */
    put: operations["put_tls_edge_mutual_tls"];
    /** Delete mutual TLS of TLS edge */
    delete: operations["delete_tls_edge_mutual_tls"];
  };
  "/edges/tls/{id}/rate_limit": {
    parameters: {};
    /** Get rate limit of TLS edge */
    get: operations["get_tls_edge_rate_limit"];
    /** Put rate limit of TLS edge */
    put: operations["put_tls_edge_rate_limit"];
    /** Delete rate limit of TLS edge */
    delete: operations["delete_tls_edge_rate_limit"];
  };
  "/edges/tls/{id}/tls_termination": {
    parameters: {};
    /** Get TLS termination of TLS edge */
    get: operations["get_tls_edge_tls_termination"];
    /** Put TLS termination of TLS edge */
    put: operations["put_tls_edge_tls_termination"];
    /** Delete TLS termination of TLS edge */
    delete: operations["delete_tls_edge_tls_termination"];
  };
  "/endpoints": {
    parameters: {};
    /** List endpoints */
    get: operations["list_endpoints"];
  };
  "/endpoints/{id}": {
    parameters: {};
    /** Get endpoint */
    get: operations["get_endpoint"];
  };
  "/event_destinations": {
    parameters: {};
    /** List event destinations */
    get: operations["list_event_destinations"];
    /** Create event destination */
    post: operations["create_event_destination"];
  };
  "/event_destinations/{id}": {
    parameters: {};
    /** Get event destination */
    get: operations["get_event_destination"];
    /** Delete event destination */
    delete: operations["delete_event_destination"];
    /** Update event destination */
    patch: operations["update_event_destination"];
  };
  "/ip_policies": {
    parameters: {};
    /** List IP policies */
    get: operations["list_ip_policies"];
    /** Create IP policy */
    post: operations["create_ip_policy"];
  };
  "/ip_policies/{id}": {
    parameters: {};
    /** Get IP policy */
    get: operations["get_ip_policy"];
    /** Delete IP policy */
    delete: operations["delete_ip_policy"];
    /** Update IP policy */
    patch: operations["update_ip_policy"];
  };
  "/ip_policies/{id}/dependents": {
    parameters: {};
    /** List the dependents of IP policy */
    get: operations["list_ip_policy_dependents"];
  };
  "/ip_policy_rules": {
    parameters: {};
    /** List IP policy rules */
    get: operations["list_ip_policy_rules"];
    /** Create IP policy rule */
    post: operations["create_ip_policy_rule"];
  };
  "/ip_policy_rules/{id}": {
    parameters: {};
    /** Get IP policy rule */
    get: operations["get_ip_policy_rule"];
    /** Delete IP policy rule */
    delete: operations["delete_ip_policy_rule"];
    /** Update IP policy rule */
    patch: operations["update_ip_policy_rule"];
  };
  "/ip_restrictions": {
    parameters: {};
    /** List IP restrictions */
    get: operations["list_ip_restrictions"];
    /** Create IP restriction */
    post: operations["create_ip_restriction"];
  };
  "/ip_restrictions/{id}": {
    parameters: {};
    /** Get IP restriction */
    get: operations["get_ip_restriction"];
    /** Delete IP restriction */
    delete: operations["delete_ip_restriction"];
    /** Update IP restriction */
    patch: operations["update_ip_restriction"];
  };
  "/nodes": {
    parameters: {};
    /** List nodes */
    get: operations["list_nodes"];
  };
  "/nodes/{id}": {
    parameters: {};
    /** Get node */
    get: operations["get_node"];
  };
  "/reserved_addrs": {
    parameters: {};
    /** List reserved addresses */
    get: operations["list_reserved_addresses"];
    /** Create reserved address */
    post: operations["create_reserved_address"];
  };
  "/reserved_addrs/{id}": {
    parameters: {};
    /** Get reserved address */
    get: operations["get_reserved_address"];
    /** Delete reserved address */
    delete: operations["delete_reserved_address"];
    /** Update reserved address */
    patch: operations["update_reserved_address"];
  };
  "/reserved_domains": {
    parameters: {};
    /** List reserved domains */
    get: operations["list_reserved_domains"];
    /** Create reserved domain */
    post: operations["create_reserved_domain"];
  };
  "/reserved_domains/{id}": {
    parameters: {};
    /** Get reserved domain */
    get: operations["get_reserved_domain"];
    /** Delete reserved domain */
    delete: operations["delete_reserved_domain"];
    /** Update reserved domain */
    patch: operations["update_reserved_domain"];
  };
  "/reserved_domains/{id}/certificate": {
    parameters: {};
    /** Delete certificate of reserved domain */
    delete: operations["delete_reserved_domain_certificate"];
  };
  "/reserved_domains/{id}/certificate_management_policy": {
    parameters: {};
    /** Delete certificate management policy of reserved domain */
    delete: operations["delete_reserved_domain_certificate_management_policy"];
  };
  "/reserved_domains/{id}/dns_records": {
    parameters: {};
    /** Check the DNS records of a reserved domain */
    get: operations["list_reserved_domain_dns_records"];
  };
  "/server": {
    parameters: {};
    /** Get facts about the server */
    get: operations["get_server"];
  };
  "/ssh_certificate_authorities": {
    parameters: {};
    /** List SSH certificate authorities */
    get: operations["list_ssh_certificate_authorities"];
    /** Create SSH certificate authority */
    post: operations["create_ssh_certificate_authority"];
  };
  "/ssh_certificate_authorities/{id}": {
    parameters: {};
    /** Get SSH certificate authority */
    get: operations["get_ssh_certificate_authority"];
    /** Delete SSH certificate authority */
    delete: operations["delete_ssh_certificate_authority"];
    /** Update SSH certificate authority */
    patch: operations["update_ssh_certificate_authority"];
  };
  "/ssh_certificate_authorities/{id}/dependents": {
    parameters: {};
    /** List the dependents of SSH certificate authority */
    get: operations["list_ssh_certificate_authority_dependents"];
  };
  "/ssh_host_certificates": {
    parameters: {};
    /** List SSH host certificates */
    get: operations["list_ssh_host_certificates"];
    /** Create SSH host certificate */
    post: operations["create_ssh_host_certificate"];
  };
  "/ssh_host_certificates/{id}": {
    parameters: {};
    /** Get SSH host certificate */
    get: operations["get_ssh_host_certificate"];
    /** Delete SSH host certificate */
    delete: operations["delete_ssh_host_certificate"];
    /** Update SSH host certificate */
    patch: operations["update_ssh_host_certificate"];
  };
  "/ssh_user_certificates": {
    parameters: {};
    /** List SSH user certificates */
    get: operations["list_ssh_user_certificates"];
    /** Create SSH user certificate */
    post: operations["create_ssh_user_certificate"];
  };
  "/ssh_user_certificates/{id}": {
    parameters: {};
    /** Get SSH user certificate */
    get: operations["get_ssh_user_certificate"];
    /** Delete SSH user certificate */
    delete: operations["delete_ssh_user_certificate"];
    /** Update SSH user certificate */
    patch: operations["update_ssh_user_certificate"];
  };
  "/status": {
    parameters: {};
    /** Get the status of the server */
    get: operations["get_status"];
  };
  "/tls_certificates": {
    parameters: {};
    /** List TLS certificates */
    get: operations["list_tls_certificates"];
    /** Create TLS certificate */
    post: operations["create_tls_certificate"];
  };
  "/tls_certificates/{id}": {
    parameters: {};
    /** Get TLS certificate */
    get: operations["get_tls_certificate"];
    /** Delete TLS certificate */
    delete: operations["delete_tls_certificate"];
    /** Update TLS certificate */
    patch: operations["update_tls_certificate"];
  };
  "/tls_certificates/{id}/dependents": {
    parameters: {};
    /** List the dependents of TLS certificate */
    get: operations["list_tls_certificate_dependents"];
  };
  "/traffic": {
    parameters: {};
    /** List the traffic of edges, routes and tunnels */
    get: operations["list_traffic"];
  };
  "/traffic/requests": {
    parameters: {};
    /** List the last requests of all edges and tunnels */
    get: operations["list_requests"];
  };
  "/traffic/series": {
    parameters: {};
    /** Get all traffic together over a time range */
    get: operations["get_traffic_series_in_all"];
  };
  "/traffic/{id}": {
    parameters: {};
    /** Get the traffic of an edge, a route or a tunnel */
    get: operations["get_traffic"];
  };
  "/traffic/{id}/series": {
    parameters: {};
    /** Get the traffic of an edge or a route over a time range */
    get: operations["get_traffic_series"];
  };
  "/tunnel_sessions": {
    parameters: {};
    /** List tunnel sessions */
    get: operations["list_tunnel_sessions"];
  };
  "/tunnel_sessions/{id}": {
    parameters: {};
    /** Get tunnel session */
    get: operations["get_tunnel_session"];
  };
  "/tunnel_sessions/{id}/restart": {
    parameters: {};
    /** Restart tunnel session */
    post: operations["restart_tunnel_session"];
  };
  "/tunnel_sessions/{id}/stop": {
    parameters: {};
    /** Stop tunnel session */
    post: operations["stop_tunnel_session"];
  };
  "/tunnels": {
    parameters: {};
    /** List tunnels */
    get: operations["list_tunnels"];
  };
  "/tunnels/{id}": {
    parameters: {};
    /** Get tunnel */
    get: operations["get_tunnel"];
  };
  "/tunnels/{id}/requests": {
    parameters: {};
    /** List the last requests of tunnel */
    get: operations["list_tunnel_requests"];
  };
  "/users": {
    parameters: {};
    /** List users */
    get: operations["list_users"];
    /** Create user */
    post: operations["create_user"];
  };
  "/users/{id}": {
    parameters: {};
    /** Get user */
    get: operations["get_user"];
    /** Delete user */
    delete: operations["delete_user"];
    /** Update user */
    patch: operations["update_user"];
  };
  "/users/{id}/dependents": {
    parameters: {};
    /** List the dependents of user */
    get: operations["list_user_dependents"];
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description Action of a rule for matching addresses. */
    Action: "allow" | "deny";
    /** @description What the author of a change is. */
    ActorType: "user" | "bot_user" | "operator" | "server" | "visitor";
    /** @description An agent that is connected, or was within the last 30 days. What it tells about itself is not verified. */
    Agent: {
      /** @description Its id, which stays the same from session to session. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /** @description Name of the host it runs on; empty if it does not tell it. */
      host_name: string;
      /** @description Account of the operating system that runs it; empty if it does not tell it. */
      account: string;
      /** @description Its version. */
      agent_version: string;
      /** @description The system it runs on. */
      os: string;
      /** @description The address it connected from. */
      ip: string;
      /** @description Its credential. */
      credential: components["schemas"]["Ref"];
      /** @description The user or bot user that the credential belongs to; null if the credential is deleted. */
      owner_id: string | null;
      /** @description Whether it is connected. */
      state: components["schemas"]["AgentState"];
      /**
       * Format: date-time
       * @description Since when it has its oldest session; null while it is away.
       */
      connected_since: string | null;
      /**
       * Format: date-time
       * @description When it was connected for the last time; null while it is. May be up to a minute early if the server itself ended.
       */
      last_seen: string | null;
      /**
       * Format: date-time
       * @description When it connected for the first time.
       */
      first_seen: string;
      /**
       * Format: uint64
       * @description Number of its tunnels.
       */
      tunnels: number;
      /** @description Its sessions, the newest first: several where the server has several nodes. */
      tunnel_sessions: components["schemas"]["Ref"][];
      /** @description The nodes it is connected to; empty if the server uses its store alone. */
      nodes: components["schemas"]["NodeName"][];
      /** @description The latest times at which it came or went, the newest first. */
      changes: components["schemas"]["AgentChange"][];
    };
    /** @description A time at which an agent connected or was gone. */
    AgentChange: {
      /** @description The state from then on. */
      state: components["schemas"]["AgentState"];
      /**
       * Format: date-time
       * @description When; may lag by a few seconds.
       */
      at: string;
    };
    /** @description A page of records, newest first. */
    AgentList: {
      /** @description The records. */
      agents: components["schemas"]["Agent"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
      /** @description Nodes that did not answer in time, whose share is missing; absent if there are none. */
      nodes_missing?: components["schemas"]["NodeName"][];
    };
    /** @description Whether an agent is connected. */
    AgentState: "online" | "away";
    /** @description What an alert rule measures. */
    AlertMeasure: "requests" | "bytes" | "error_share" | "agent_away";
    /** @description Time over which requests and bytes are counted. */
    AlertPeriod: "rolling" | "day" | "month";
    /** @description A threshold, and what it is compared with. An event is written when it is reached, and one when that is over. */
    AlertRule: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description What is measured. */
      measure: components["schemas"]["AlertMeasure"];
      /** @description The HTTPS, TLS or TCP edge, the route, or the credential that it is measured of; null for all traffic together. */
      subject_id: string | null;
      /**
       * Format: double
       * @description The value at which the rule fires: requests, bytes, a share from 0 to 1, or minutes.
       */
      threshold: number;
      /** @description Time over which it is measured; null for `agent_away`. */
      period: components["schemas"]["AlertPeriod"] | null;
      /**
       * Format: uint32
       * @description Window in minutes; null unless the period is `rolling`.
       */
      window_minutes: number | null;
      /**
       * Format: uint32
       * @description With fewer requests in the window, the share of errors counts as 0; null for other measures.
       */
      minimum_requests: number | null;
      /** @description Whether the rule is evaluated. */
      enabled: boolean;
      /** @description The edge of a route that is measured; null for other subjects. */
      subject_parent_id: string | null;
      /** @description Whether the threshold is reached. */
      state: components["schemas"]["AlertState"];
      /**
       * Format: date-time
       * @description Since when it is in this state; null before the first event.
       */
      state_since: string | null;
      /**
       * Format: double
       * @description Latest value that was stored: that of the latest event, or one of the last 15 seconds if it has changed. Null before the first evaluation, and for a credential that has not been in use yet.
       */
      value: number | null;
      /**
       * Format: date-time
       * @description Time of that value.
       */
      value_at: string | null;
    };
    /** @description Body of a create. Measure and threshold are required. */
    AlertRuleCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description What is measured. */
      measure: components["schemas"]["AlertMeasure"];
      /**
       * Format: double
       * @description The value at which the rule fires: requests or bytes (whole numbers), a share of errors above 0 and up to 1, or minutes of absence from 0.1 to 43200.
       */
      threshold: number;
      /** @description The HTTPS, TLS or TCP edge or the route that is measured; default: all traffic together. For `agent_away` it is needed, and is a credential. */
      subject_id?: string | null;
      /** @description Default: `rolling`. `day` and `month` are for requests and bytes. */
      period?: components["schemas"]["AlertPeriod"] | null;
      /**
       * Format: uint32
       * @description Window in minutes, for the period `rolling`. Default: 5.
       */
      window_minutes?: number | null;
      /**
       * Format: uint32
       * @description With fewer requests in the window, the share of errors counts as 0. Default: 20.
       */
      minimum_requests?: number | null;
      /** @description Default: true. */
      enabled?: boolean | null;
    };
    /** @description A page of records, newest first. */
    AlertRuleList: {
      /** @description The records. */
      alert_rules: components["schemas"]["AlertRule"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. What is measured, and of what, stays. */
    AlertRuleUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /**
       * Format: double
       * @description The value at which the rule fires.
       */
      threshold?: number | null;
      /**
       * Format: uint32
       * @description Window in minutes, for the period `rolling`.
       */
      window_minutes?: number | null;
      /**
       * Format: uint32
       * @description With fewer requests in the window, the share of errors counts as 0.
       */
      minimum_requests?: number | null;
      /** @description Whether the rule is evaluated. One that is disabled is in the state `ok`. */
      enabled?: boolean | null;
    };
    /** @description State of an alert rule, in the order of severity. */
    AlertState: "ok" | "warning" | "firing";
    /** @description An API key. It has the rights of its owner, or those that its own role leaves of them. */
    ApiKey: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description The user or bot user it belongs to. */
      owner_id: string;
      /** @description Role of the key. It has the rights that both its own role and that of its owner give; with `admin`, all of the owner's. */
      role: components["schemas"]["Role"];
      /** @description Token; shown only once, in this response. */
      token: string | null;
    };
    /** @description Body of a create. */
    ApiKeyCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Owner; default: the caller. Only administrators may set another owner. */
      owner_id?: string | null;
      /** @description Role of the key. Default: that of the key that creates it, if both have one owner; otherwise `admin`. */
      role?: components["schemas"]["Role"] | null;
    };
    /** @description A page of records, newest first. */
    ApiKeyList: {
      /** @description The records. */
      keys: components["schemas"]["ApiKey"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    ApiKeyUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Role of the key; `admin` leaves all rights of its owner. */
      role?: components["schemas"]["Role"] | null;
    };
    /** @description A browser that has logged in at an edge. Deleting it logs the browser out with its next request. */
    AppSession: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /** @description Route that the browser has logged in to. */
      public_url: string;
      /** @description Facts about the browser. */
      browser_session: components["schemas"]["BrowserSession"];
      /** @description The person. */
      application_user: components["schemas"]["Ref"];
      /**
       * Format: date-time
       * @description Time of the login.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description Time of the last request; may lag by a minute.
       */
      last_active: string;
      /** @description Expiry by age, an RFC 3339 timestamp; empty if it does not expire. */
      expires_at: string;
      /** @description The address; null once the edge is gone. */
      endpoint: components["schemas"]["Ref"] | null;
      /** @description The edge; null for a tunnel of an agent. */
      edge: components["schemas"]["Ref"] | null;
      /** @description The route; null for a tunnel of an agent. */
      route: components["schemas"]["Ref"] | null;
    };
    /** @description A page of records, newest first. */
    AppSessionList: {
      /** @description The records. */
      application_sessions: components["schemas"]["AppSession"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description A person who has logged in at an edge. Deleting one ends all their sessions; they may log in again. */
    AppUser: {
      /** @description Their id. */
      id: string;
      /** @description Their absolute address. */
      uri: string;
      /** @description Identity provider. */
      identity_provider: components["schemas"]["AppUserProvider"];
      /** @description Permanent identifier at the provider. */
      provider_user_id: string;
      /** @description Name at the provider; empty if the provider does not supply it. */
      username: string;
      /** @description E-mail address; empty if the provider supplied no verified one. */
      email: string;
      /** @description Their name; empty if the provider does not say. */
      name: string;
      /**
       * Format: date-time
       * @description Time of the first login.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description Time of their last request; may lag by a minute.
       */
      last_active: string;
      /**
       * Format: date-time
       * @description Time of the last login.
       */
      last_login: string;
    };
    /** @description A page of records, newest first. */
    AppUserList: {
      /** @description The records. */
      application_users: components["schemas"]["AppUser"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Identity provider of a person. */
    AppUserProvider: {
      /** @description `oidc`, `saml`, or the name of an OAuth provider. */
      name: string;
      /** @description An issuer, an entity id, or the address of an OAuth provider. */
      url: string;
    };
    /** @description A change of the configuration, and its author. Secrets are masked. */
    AuditEvent: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Time of the change.
       */
      created_at: string;
      /** @description What was done with the record. */
      operation: components["schemas"]["AuditOperation"];
      /** @description Kind of the record, `ip_policy` for example, or of what was observed, such as `api_refusal` or `alert_firing`. */
      kind: string;
      /** @description Id of the record, which may have been deleted since; empty for refused calls without a known API key. */
      object_id: string;
      /** @description Id of the record that it is nested in: the edge of a route, for example. */
      parent_id: string | null;
      /** @description What the author is; null for refused calls without a known API key, and for events of older servers. */
      actor_type: components["schemas"]["ActorType"] | null;
      /** @description User, bot user or visitor that caused the change; null if it was none of them, or is not known. */
      actor_id: string | null;
      /** @description Name of that user at the time; empty if there is none. */
      actor_name: string;
      /** @description API key of the call; null if the change came another way. */
      api_key_id: string | null;
      /** @description Address that the call came from; empty if the change was no call of the API. */
      address: string;
      /** @description Operation id that the response to the call carried; empty if the change was no call of the API. */
      operation_id: string;
      /** @description Settings before the change, by the names that they have in request bodies. A change of a module has that module only. Null for a creation, and if they were not recorded. */
      before: {
        [key: string]: unknown;
      } | null;
      /** @description Settings after the change, or what was observed; null for a deletion, and if they were not recorded. */
      after: {
        [key: string]: unknown;
      } | null;
      /** @description JSON pointers to the secrets in `before` and `after`, which are replaced by `***`. */
      masked: string[];
      /** @description JSON pointers to texts in `before` and `after` that were too long to be recorded; the empty one means all settings. */
      shortened: string[];
      /** @description Whether the change set another secret, which `before` and `after` do not show. */
      secrets_changed: boolean;
      /** @description What restores the state before the change. */
      put_back: components["schemas"]["PutBack"];
    };
    /** @description A page of records, newest first. */
    AuditEventList: {
      /** @description The records. */
      audit_events: components["schemas"]["AuditEvent"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description What was done with a record. */
    AuditOperation: "created" | "updated" | "deleted" | "observed";
    /** @description The backend module in responses. */
    BackendModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description The backend. */
      backend: components["schemas"]["Ref"];
    };
    /** @description Sets the backend of an endpoint. */
    BackendModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /** @description The backend's id. */
      backend_id: string;
    };
    /** @description TLS settings of a static backend. */
    BackendTls: {
      /** @description Over TLS if true, in clear if false. */
      enabled: boolean;
    };
    /** @description TLS settings of a static backend. */
    BackendTlsInput: {
      /**
       * @description Over TLS if true, in clear if false.
       * @default true
       */
      enabled: boolean | null;
    };
    /** @description The basic auth module in responses. */
    BasicAuthModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description The users, without their passwords. */
      users: components["schemas"]["BasicAuthUserView"][];
    };
    /** @description Users who may visit a route with their password. */
    BasicAuthModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /** @description The users, 1 to `BASIC_AUTH_USER_LIMIT`, each name once. */
      users: components["schemas"]["BasicAuthUser"][];
    };
    /** @description A user and, when it is set or changed, the password. */
    BasicAuthUser: {
      /** @description Name, without a colon or control characters; at most 256 bytes together with a colon and the password. */
      username: string;
      /** @description Password of at least 8 characters without control characters. It is stored as a slow hash and never returned. Without one, the user keeps the present password. */
      password?: string | null;
    };
    /** @description A user of the basic auth module in responses. */
    BasicAuthUserView: {
      /** @description Name. */
      username: string;
    };
    /** @description A program that owns keys and credentials. */
    BotUser: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Name; never empty, and unique among bot users. */
      name: string;
      /** @description Whether its keys and credentials may be used. */
      active: boolean;
      /** @description Whether the role is `admin`. */
      admin: boolean;
      /** @description What it may see and change. */
      role: components["schemas"]["Role"];
    };
    /** @description Body of a create. The name is required. */
    BotUserCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description 1 to 255 bytes. */
      name: string;
      /** @description Default: true. */
      active?: boolean | null;
      /** @description Short for the role `admin` or `editor`. Default: false. */
      admin?: boolean | null;
      /** @description Default: `editor`. */
      role?: components["schemas"]["Role"] | null;
    };
    /** @description A page of records, newest first. */
    BotUserList: {
      /** @description The records. */
      bot_users: components["schemas"]["BotUser"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    BotUserUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description 1 to 255 bytes. */
      name?: string | null;
      /** @description Whether its keys and credentials may be used. */
      active?: boolean | null;
      /** @description Short for the role `admin`, or `editor` in its place. */
      admin?: boolean | null;
      /** @description What it may see and change. */
      role?: components["schemas"]["Role"] | null;
    };
    /** @description Facts about a browser. */
    BrowserSession: {
      /** @description User agent at login. */
      user_agent: components["schemas"]["UserAgent"];
      /** @description Address at login. */
      ip_address: string;
      /** @description Always null: this server does not locate addresses. */
      location: null;
    };
    /** @description Uploaded certificate. */
    CertificateAuthority: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description The authority's certificate in PEM. */
      ca_pem: string;
      /** @description The common name of the subject; empty if it has none. */
      subject_common_name: string;
      /**
       * Format: date-time
       * @description Start of its validity.
       */
      not_before: string;
      /**
       * Format: date-time
       * @description End of its validity.
       */
      not_after: string;
      /** @description Key usage, `CertSign` for example. */
      key_usages: string[];
      /** @description Extended key usage; a usage without a name is given by its OID. */
      extended_key_usages: string[];
    };
    /** @description Body of a create. */
    CertificateAuthorityCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Exactly one certificate in PEM, of an authority. */
      ca_pem: string;
    };
    /** @description A page of records, newest first. */
    CertificateAuthorityList: {
      /** @description The records. */
      certificate_authorities: components["schemas"]["CertificateAuthority"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    CertificateAuthorityUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
    };
    /** @description A certificate that the server gets by itself. */
    CertificateManagementPolicy: {
      /** @description Issuer. */
      authority: components["schemas"]["ManagingAuthority"];
      /** @description The kind of its key. */
      private_key_type: components["schemas"]["ManagedKeyType"];
    };
    /** @description A certificate that the server gets by itself. */
    CertificateManagementPolicyInput: {
      /** @description Issuer. */
      authority?: components["schemas"]["ManagingAuthority"] | null;
      /** @description The kind of its key. */
      private_key_type?: components["schemas"]["ManagedKeyType"] | null;
    };
    /** @description Status of obtaining a certificate. */
    CertificateManagementStatus: {
      /**
       * Format: date-time
       * @description Time of the next renewal; null while there is no certificate.
       */
      renews_at: string | null;
      /** @description Order in progress, if any. */
      provisioning_job: components["schemas"]["ProvisioningJob"] | null;
    };
    /** @description The circuit breaker module in responses. */
    CircuitBreakerModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /**
       * Format: uint32
       * @description Seconds to wait after the circuit has tripped.
       */
      tripped_duration: number;
      /**
       * Format: uint32
       * @description Seconds that requests are remembered.
       */
      rolling_window: number;
      /**
       * Format: uint32
       * @description The parts in which the window moves on.
       */
      num_buckets: number;
      /**
       * Format: uint32
       * @description Minimum number of requests in the window before the share of errors is evaluated.
       */
      volume_threshold: number;
      /**
       * Format: double
       * @description The share of errors that trips the circuit.
       */
      error_threshold_percentage: number;
    };
    /** @description Circuit breaker: stops sending requests to a backend that fails too often. */
    CircuitBreakerModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /**
       * Format: uint32
       * @description Seconds to wait after the circuit has tripped before the backend is tried again, at least 1.
       * @default 10
       */
      tripped_duration: number | null;
      /**
       * Format: uint32
       * @description Seconds that requests are remembered, at least 1.
       * @default 10
       */
      rolling_window: number | null;
      /**
       * Format: uint32
       * @description The parts in which the window moves on, 1 to `BUCKET_LIMIT`.
       * @default 10
       */
      num_buckets: number | null;
      /**
       * Format: uint32
       * @description Minimum number of requests in the window before the share of errors is evaluated. Without errors the circuit stays closed at any volume.
       * @default 20
       */
      volume_threshold: number | null;
      /**
       * Format: double
       * @description The share of errors that trips the circuit, 0 to 1.
       * @default 0.5
       */
      error_threshold_percentage: number | null;
    };
    /** @description A module without settings, in responses. */
    CompressionModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
    };
    /** @description Compresses responses. */
    CompressionModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
    };
    /** @description Number of objects that the edge serves. */
    Configured: {
      /**
       * Format: uint64
       * @description HTTPS edges.
       */
      https_edges: number;
      /**
       * Format: uint64
       * @description TLS edges.
       */
      tls_edges: number;
      /**
       * Format: uint64
       * @description TCP edges.
       */
      tcp_edges: number;
      /**
       * Format: uint64
       * @description Backends of all kinds.
       */
      backends: number;
      /**
       * Format: uint64
       * @description TLS certificates.
       */
      tls_certificates: number;
      /**
       * Format: uint64
       * @description Tunnel credentials that agents may use.
       */
      credentials: number;
    };
    /** @description A browser that is signed in to the console. Its calls have the rights of the API key that it was signed in with, as long as that key exists; after a sign-in by an OpenID provider, those of the user, at most with the role of that sign-in. */
    ConsoleSession: {
      /** @description Its id. */
      id: string;
      /** @description The user or bot user who is signed in. */
      owner_id: string;
      /** @description Name of the user or bot user. */
      owner_name: string;
      /** @description The role that its calls have. */
      role: components["schemas"]["Role"];
      /** @description The API key; null after a sign-in by an OpenID provider. */
      api_key_id: string | null;
      /** @description Address that the OpenID provider has verified; empty after a sign-in with an API key. */
      email: string;
      /**
       * Format: date-time
       * @description Time of the sign-in.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description Time at which the session ends, whatever is done with it.
       */
      expires_at: string;
      /**
       * Format: uint64
       * @description Seconds without activity after which it ends earlier.
       */
      inactivity_timeout: number;
    };
    /** @description ACL of agents with this credential, and its owner. */
    Credential: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description ACL rules; without rules everything may be bound. */
      acl: string[];
      /** @description The user or bot user it belongs to. */
      owner_id: string;
      /** @description Token; shown only once, in this response. */
      token: string | null;
    };
    /** @description Body of a create. */
    CredentialCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description ACL rules such as `bind:*.example.com`; without rules everything may be bound. */
      acl?: string[] | null;
      /** @description Owner; default: the caller. Only administrators may set another owner. */
      owner_id?: string | null;
    };
    /** @description A page of records, newest first. */
    CredentialList: {
      /** @description The records. */
      credentials: components["schemas"]["Credential"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. A new ACL applies to new binds. */
    CredentialUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The rules, replacing all former ones. */
      acl?: string[] | null;
    };
    /** @description Decision of one module. */
    Decision: {
      /** @description Module or restriction, such as `ip_restriction`. */
      module: string;
      /** @description Deciding part, such as the id of a rule or a pattern; empty if there is none. */
      rule: string;
      /** @description Decision. */
      verdict: components["schemas"]["Verdict"];
      /**
       * Format: uint64
       * @description The duration of the decision.
       */
      microseconds: number;
    };
    /** @description A record, or a module of one, that refers to another record. */
    Dependent: {
      /** @description The id of the record that refers, or has the module that does. */
      id: string;
      /** @description Its kind, such as `https_route`. */
      kind: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Id of its parent record; null if it has none. */
      parent_id: string | null;
      /** @description The module that refers; empty if the record itself does. */
      module: string;
      /** @description Effect of deleting the record it refers to. */
      on_delete: components["schemas"]["OnDelete"];
    };
    /** @description Records that refer to this one, at most a hundred. There are no further pages. */
    DependentList: {
      /** @description The records. */
      dependents: components["schemas"]["Dependent"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description A record in DNS that a reserved domain needs. It is looked up when it is shown. */
    DomainRecord: {
      /** @description What it is for. */
      purpose: components["schemas"]["DomainRecordPurpose"];
      /** @description Type to create. */
      type: components["schemas"]["DomainRecordType"];
      /** @description Full name to create it under, without a final dot. */
      name: string;
      /** @description Contents to create it with, one record each; empty if the server does not know them. */
      values: string[];
      /** @description What a name server answers now: the target of an alias, or addresses. */
      found: string[];
      /** @description Whether that is right. */
      ok: boolean;
      /** @description What is right, or wrong and what to do, in a sentence. */
      msg: string;
    };
    /** @description Records in DNS that the domain needs, with what name servers answer. There are no further pages. */
    DomainRecordList: {
      /** @description The records. */
      dns_records: components["schemas"]["DomainRecord"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description What a record in DNS is for. */
    DomainRecordPurpose: "traffic" | "certificate";
    /** @description Types of records in DNS. */
    DomainRecordType: "A" | "AAAA" | "CNAME";
    /** @description A current public address: an agent's tunnel, or one name or port of an edge. */
    Endpoint: {
      /** @description Its id. That of a tunnel's endpoint and that of the tunnel differ in the prefix only. */
      id: string;
      /** @description Absolute URL in this API. */
      uri: string;
      /**
       * Format: date-time
       * @description Start time.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description Creation time; an endpoint does not change.
       */
      updated_at: string;
      /** @description Origin. */
      type: components["schemas"]["EndpointType"];
      /** @description The address that visitors use. */
      public_url: string;
      /** @description Equal to `public_url`. */
      url: string;
      /** @description `https`, `http`, `tls` or `tcp`. */
      proto: string;
      /** @description Equal to `proto`. */
      scheme: string;
      /** @description Host and port; the port is always included. */
      hostport: string;
      /** @description Its host. */
      host: string;
      /**
       * Format: int64
       * @description Its port.
       */
      port: number;
      /** @description The region of the server. */
      region: string;
      /** @description The name the tunnel has at its agent; empty for an edge. */
      name: string;
      /** @description The description of the edge; empty for a tunnel. */
      description: string;
      /** @description The metadata of the edge or of the tunnel. */
      metadata: string;
      /** @description Owner of the agent's credential; null for an edge. */
      principal: components["schemas"]["Ref"] | null;
      /** @description Visibility: `public`. */
      bindings: string[];
      /** @description Its reserved domain, if any. */
      domain: components["schemas"]["Ref"] | null;
      /** @description Its reserved address, if any. */
      tcp_addr: components["schemas"]["Ref"] | null;
      /** @description The tunnel behind it; null for an edge. */
      tunnel: components["schemas"]["Ref"] | null;
      /** @description The session of that tunnel; null for an edge. */
      tunnel_session: components["schemas"]["Ref"] | null;
      /** @description The edge behind it; null for a tunnel. */
      edge: components["schemas"]["Ref"] | null;
      /** @description The local address, as the agent describes it; empty for an edge. */
      upstream_url: string;
      /** @description Always empty: agents forward any protocol. */
      upstream_protocol: string;
      /** @description Always empty. */
      traffic_policy: string;
      /** @description Always false: an address has a single owner. */
      pooling_enabled: boolean;
    };
    /** @description A page of records, newest first. */
    EndpointList: {
      /** @description The records. */
      endpoints: components["schemas"]["Endpoint"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
      /** @description Nodes that did not answer in time, whose share is missing; absent if there are none. */
      nodes_missing?: components["schemas"]["NodeName"][];
    };
    /** @description Origin of an endpoint. */
    EndpointType: "ephemeral" | "edge";
    /** @description What went wrong. */
    Error: {
      /** @description Stable code of the error. */
      error_code: string;
      /** @description The status of the response. */
      status_code: number;
      /** @description What is wrong and what to do about it. */
      msg: string;
      /** @description Further facts, such as the name of the field. */
      details: {
        /** @description The id of the call in the server's log. */
        operation_id: string;
      } & {
        [key: string]: string;
      };
    };
    /** @description The error pages module in responses. */
    ErrorPagesModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description HTML by status. */
      pages: {
        [key: string]: string;
      };
      /** @description Whether errors of the backend get the pages too. */
      upstream: boolean;
    };
    /** @description Pages of one's own for errors, for visitors whose `Accept` names HTML. */
    ErrorPagesModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /** @description HTML by status, such as `404`, or by `4xx` and `5xx`; a status takes precedence. 1 to 20 pages of at most 32 KiB, and 128 KiB together. `${error.code}`, `${error.message}`, `${res.status}` and `${req.id}` are replaced. */
      pages: {
        [key: string]: string | null;
      };
      /**
       * @description Whether errors of the backend get the pages too, and not only those of the edge.
       * @default false
       */
      upstream: boolean | null;
    };
    /** @description An attempt to deliver an event. */
    EventDelivery: {
      /** @description The event. */
      event_id: string;
      /**
       * Format: date-time
       * @description Time of the attempt.
       */
      at: string;
      /**
       * Format: uint32
       * @description Attempts to deliver this event so far.
       */
      attempts: number;
      /**
       * Format: uint16
       * @description Status of the response; null if there was none.
       */
      status_code: number | null;
      /** @description Why the event was not accepted; empty if it was. */
      error: string;
      /**
       * Format: date-time
       * @description Time of the next attempt, if the event was not accepted.
       */
      next_attempt_at: string | null;
    };
    /** @description A URL that audit events are sent to, in order, each until it is accepted. */
    EventDestination: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description URL of the receiver. */
      url: string;
      /** @description Whether events are sent; if not, they wait in the audit log. */
      enabled: boolean;
      /** @description Kinds of the events that are sent; `*` is for all. */
      kinds: string[];
      /** @description Operations of the events that are sent; empty for all. */
      operations: components["schemas"]["AuditOperation"][];
      /** @description Secret that signs the events; shown only once, in the response that made it. */
      secret: string | null;
      /** @description Latest attempt to deliver an event; null before the first. */
      last_delivery: components["schemas"]["EventDelivery"] | null;
      /**
       * Format: uint64
       * @description Events that wait; of more than 1000, no further ones are counted.
       */
      pending: number;
      /**
       * Format: uint64
       * @description Events that the audit log had dropped before they were accepted.
       */
      skipped: number;
    };
    /** @description Body of a create. The URL is required. */
    EventDestinationCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description URL of the receiver: `https`, or `http` for loopback and private addresses. */
      url: string;
      /** @description Default: true. */
      enabled?: boolean | null;
      /** @description Kinds of the events to send, such as `ip_policy`. Default: `*`, which is for all. */
      kinds?: string[] | null;
      /** @description Operations of the events to send. Default: all. */
      operations?: components["schemas"]["AuditOperation"][] | null;
    };
    /** @description A page of records, newest first. */
    EventDestinationList: {
      /** @description The records. */
      event_destinations: components["schemas"]["EventDestination"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    EventDestinationUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description URL of the receiver: `https`, or `http` for loopback and private addresses. */
      url?: string | null;
      /** @description Whether events are sent. */
      enabled?: boolean | null;
      /** @description Kinds of the events to send, replacing all former ones; empty or `*` for all. */
      kinds?: string[] | null;
      /** @description Operations of the events to send, replacing all former ones; empty for all. */
      operations?: components["schemas"]["AuditOperation"][] | null;
      /** @description True makes a new secret. For 24 hours, events are signed with the former one, too. */
      rotate_secret?: boolean | null;
    };
    /** @description A TLS certificate and its end. */
    ExpiringCertificate: {
      /** @description The certificate. */
      certificate: components["schemas"]["Ref"];
      /** @description Host names and addresses it is valid for. */
      names: string[];
      /**
       * Format: date-time
       * @description End of its validity.
       */
      not_after: string;
      /** @description Whether the server gets the next one by itself. */
      renewed: boolean;
    };
    /** @description Routes a visitor to the first of these backends that can be reached. */
    FailoverBackend: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description The ids of the backends, the preferred one first. */
      backends: string[];
    };
    /** @description Body of a create. */
    FailoverBackendCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Ids of tunnel groups, HTTP responses, static and weighted backends, the preferred one first. In a change they replace the whole list. */
      backends?: string[] | null;
    };
    /** @description A page of records, newest first. */
    FailoverBackendList: {
      /** @description The records. */
      backends: components["schemas"]["FailoverBackend"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Changes of the record. Members that are absent or null stay unchanged. */
    FailoverBackendUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Ids of tunnel groups, HTTP responses, static and weighted backends, the preferred one first. In a change they replace the whole list. */
      backends?: string[] | null;
    };
    /** @description GitHub and its access lists: everyone if all lists are empty, else the members of any. */
    GithubLogin: {
      /**
       * @description The id of an OAuth app of one's own. Empty: the one the server's operator configured.
       * @default
       */
      client_id: string | null;
      /**
       * @description The secret of that app.
       * @default
       */
      client_secret: string | null;
      /**
       * @description OAuth scopes; only with an own OAuth app. Scopes that the login needs are added.
       * @default []
       */
      scopes: string[] | null;
      /**
       * @description The e-mail addresses that may come in.
       * @default []
       */
      email_addresses: string[] | null;
      /**
       * @description The domains whose e-mail addresses may come in.
       * @default []
       */
      email_domains: string[] | null;
      /**
       * @description Teams, `<org>/<team>` or the number of a team, whose members may come in.
       * @default []
       */
      teams: string[] | null;
      /**
       * @description Organizations whose members may come in.
       * @default []
       */
      organizations: string[] | null;
    };
    /** @description A provider in responses. */
    GithubLoginView: {
      /** @description The id of the OAuth app. Empty: the one the server's operator configured. */
      client_id: string;
      /** @description The secret of that app. */
      client_secret: string;
      /** @description OAuth scopes. */
      scopes: string[];
      /** @description The e-mail addresses that may come in. */
      email_addresses: string[];
      /** @description The domains whose e-mail addresses may come in. */
      email_domains: string[];
      /** @description Teams, `<org>/<team>` or the number of a team, whose members may come in. */
      teams: string[];
      /** @description Organizations whose members may come in. */
      organizations: string[];
    };
    /** @description Headers to add and to remove. A name in both is replaced. */
    HeaderChanges: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /**
       * @description Headers to add, at most 100. A value may hold variables, `${…}`.
       * @default {}
       */
      add: {
        [key: string]: string | null;
      } | null;
      /**
       * @description Names of headers to remove with all their values, at most 100.
       * @default []
       */
      remove: string[] | null;
    };
    /** @description The answer that every visitor gets. */
    HttpResponseBackend: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Body; may be empty. */
      body: string;
      /** @description The headers, names in lower case. */
      headers: {
        [key: string]: string;
      };
      /**
       * Format: int32
       * @description The status.
       */
      status_code: number;
    };
    /** @description Body of a create. */
    HttpResponseBackendCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The body, at most 256 KiB. */
      body?: string | null;
      /** @description Headers by name, each name once in whatever case. Those that say how long the body is or how the connection goes on are the server's own. In a change they replace the whole map. */
      headers?: {
        [key: string]: string | null;
      } | null;
      /**
       * Format: int32
       * @description HTTP status, 200 to 599; default: 200.
       */
      status_code?: number | null;
    };
    /** @description A page of records, newest first. */
    HttpResponseBackendList: {
      /** @description The records. */
      backends: components["schemas"]["HttpResponseBackend"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Changes of the record. Members that are absent or null stay unchanged. */
    HttpResponseBackendUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The body, at most 256 KiB. */
      body?: string | null;
      /** @description Headers by name, each name once in whatever case. Those that say how long the body is or how the connection goes on are the server's own. In a change they replace the whole map. */
      headers?: {
        [key: string]: string | null;
      } | null;
      /**
       * Format: int32
       * @description HTTP status, 200 to 599; default: 200.
       */
      status_code?: number | null;
    };
    /** @description Host names that stand open for visitors with HTTPS. */
    HttpsEdge: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Names, `host:port` each; may be empty. */
      hostports: string[];
      /** @description Routes in creation order. */
      routes: components["schemas"]["HttpsRoute"][];
      /** @description Certificate authorities of visitors' certificates (mutual TLS). */
      mutual_tls: components["schemas"]["MutualTlsModule"] | null;
      /** @description Minimum version of TLS. */
      tls_termination: components["schemas"]["HttpsTerminationModule"] | null;
    };
    /** @description Body of a create. In a change, a given module is replaced as a whole. */
    HttpsEdgeCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Names to serve: `host:443`, or `host:` and the HTTPS port of this server. */
      hostports?: string[] | null;
      /** @description Certificate authorities of visitors' certificates (mutual TLS). */
      mutual_tls?: components["schemas"]["MutualTlsModulePut"] | null;
      /** @description Minimum version of TLS. */
      tls_termination?: components["schemas"]["HttpsTerminationModulePut"] | null;
    };
    /** @description A page of records, newest first. */
    HttpsEdgeList: {
      /** @description The records. */
      https_edges: components["schemas"]["HttpsEdge"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Changes of the record. Members that are absent or null stay unchanged. */
    HttpsEdgeUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Names to serve: `host:443`, or `host:` and the HTTPS port of this server. */
      hostports?: string[] | null;
      /** @description Certificate authorities of visitors' certificates (mutual TLS). */
      mutual_tls?: components["schemas"]["MutualTlsModulePut"] | null;
      /** @description Minimum version of TLS. */
      tls_termination?: components["schemas"]["HttpsTerminationModulePut"] | null;
    };
    /** @description Paths of an HTTPS edge with the same backend and modules. */
    HttpsRoute: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Match type. */
      match_type: components["schemas"]["MatchType"];
      /** @description The path, or the beginning of paths. */
      match: string;
      /** @description The edge it is part of. */
      edge_id: string;
      /** @description Backend of the requests. */
      backend: components["schemas"]["BackendModule"] | null;
      /** @description IP restriction. */
      ip_restriction: components["schemas"]["IpRestrictionModule"] | null;
      /** @description Rate limit. */
      rate_limit: components["schemas"]["RateLimitModule"] | null;
      /** @description Maintenance. */
      maintenance: components["schemas"]["MaintenanceModule"] | null;
      /** @description Redirects. */
      redirect: components["schemas"]["RedirectModule"] | null;
      /** @description Path and host of requests for the backend. */
      rewrite: components["schemas"]["RewriteModule"] | null;
      /** @description Error pages. */
      error_pages: components["schemas"]["ErrorPagesModule"] | null;
      /** @description Circuit breaker. */
      circuit_breaker: components["schemas"]["CircuitBreakerModule"] | null;
      /** @description Whether responses are compressed. */
      compression: components["schemas"]["CompressionModule"] | null;
      /** @description Header changes of requests. */
      request_headers: components["schemas"]["RequestHeadersModule"] | null;
      /** @description Header changes of responses. */
      response_headers: components["schemas"]["RequestHeadersModule"] | null;
      /** @description Webhook verification. */
      webhook_verification: components["schemas"]["WebhookVerificationModule"] | null;
      /** @description Whether WebSocket connections are converted to TCP streams. */
      websocket_tcp_converter: components["schemas"]["CompressionModule"] | null;
      /** @description User agent filter. */
      user_agent_filter: components["schemas"]["UserAgentFilterModule"] | null;
      /** @description HTTP Basic authentication. At most one login can be enabled. */
      basic_auth: components["schemas"]["BasicAuthModule"] | null;
      /** @description OAuth login. At most one login can be enabled. */
      oauth: components["schemas"]["OAuthModule"] | null;
      /** @description OpenID Connect login. At most one login can be enabled. */
      oidc: components["schemas"]["OidcModule"] | null;
      /** @description SAML login. At most one login can be enabled. */
      saml: components["schemas"]["SamlModule"] | null;
    };
    /** @description Body of a create or change. A create requires `match_type` and `match`; in a change an empty one means unchanged, and a given module is replaced as a whole. */
    HttpsRouteCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Match type: `exact_path` or `path_prefix`. */
      match_type?: string | null;
      /** @description The path, or the beginning of paths; begins with a slash, at most 1024 characters. */
      match?: string | null;
      /** @description Backend of the requests. */
      backend?: components["schemas"]["BackendModulePut"] | null;
      /** @description IP restriction. */
      ip_restriction?: components["schemas"]["IpRestrictionModulePut"] | null;
      /** @description Rate limit. */
      rate_limit?: components["schemas"]["RateLimitModulePut"] | null;
      /** @description Maintenance. */
      maintenance?: components["schemas"]["MaintenanceModulePut"] | null;
      /** @description Redirects. */
      redirect?: components["schemas"]["RedirectModulePut"] | null;
      /** @description Path and host of requests for the backend. */
      rewrite?: components["schemas"]["RewriteModulePut"] | null;
      /** @description Error pages. */
      error_pages?: components["schemas"]["ErrorPagesModulePut"] | null;
      /** @description Circuit breaker. */
      circuit_breaker?: components["schemas"]["CircuitBreakerModulePut"] | null;
      /** @description Whether responses are compressed. */
      compression?: components["schemas"]["CompressionModulePut"] | null;
      /** @description Header changes of requests. */
      request_headers?: components["schemas"]["RequestHeadersModulePut"] | null;
      /** @description Header changes of responses. */
      response_headers?: components["schemas"]["ResponseHeadersModulePut"] | null;
      /** @description Webhook verification. */
      webhook_verification?: components["schemas"]["WebhookVerificationModulePut"] | null;
      /** @description Whether WebSocket connections are converted to TCP streams. */
      websocket_tcp_converter?: components["schemas"]["WebsocketTcpConverterModulePut"] | null;
      /** @description User agent filter. */
      user_agent_filter?: components["schemas"]["UserAgentFilterModulePut"] | null;
      /** @description HTTP Basic authentication. At most one login can be enabled. */
      basic_auth?: components["schemas"]["BasicAuthModulePut"] | null;
      /** @description OAuth login. At most one login can be enabled. */
      oauth?: components["schemas"]["OAuthModulePut"] | null;
      /** @description OpenID Connect login. At most one login can be enabled. */
      oidc?: components["schemas"]["OidcModulePut"] | null;
      /** @description SAML login. At most one login can be enabled. */
      saml?: components["schemas"]["SamlModulePut"] | null;
    };
    /** @description Changes of the record. Members that are absent or null stay unchanged. */
    HttpsRouteUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Match type: `exact_path` or `path_prefix`. */
      match_type?: string | null;
      /** @description The path, or the beginning of paths; begins with a slash, at most 1024 characters. */
      match?: string | null;
      /** @description Backend of the requests. */
      backend?: components["schemas"]["BackendModulePut"] | null;
      /** @description IP restriction. */
      ip_restriction?: components["schemas"]["IpRestrictionModulePut"] | null;
      /** @description Rate limit. */
      rate_limit?: components["schemas"]["RateLimitModulePut"] | null;
      /** @description Maintenance. */
      maintenance?: components["schemas"]["MaintenanceModulePut"] | null;
      /** @description Redirects. */
      redirect?: components["schemas"]["RedirectModulePut"] | null;
      /** @description Path and host of requests for the backend. */
      rewrite?: components["schemas"]["RewriteModulePut"] | null;
      /** @description Error pages. */
      error_pages?: components["schemas"]["ErrorPagesModulePut"] | null;
      /** @description Circuit breaker. */
      circuit_breaker?: components["schemas"]["CircuitBreakerModulePut"] | null;
      /** @description Whether responses are compressed. */
      compression?: components["schemas"]["CompressionModulePut"] | null;
      /** @description Header changes of requests. */
      request_headers?: components["schemas"]["RequestHeadersModulePut"] | null;
      /** @description Header changes of responses. */
      response_headers?: components["schemas"]["ResponseHeadersModulePut"] | null;
      /** @description Webhook verification. */
      webhook_verification?: components["schemas"]["WebhookVerificationModulePut"] | null;
      /** @description Whether WebSocket connections are converted to TCP streams. */
      websocket_tcp_converter?: components["schemas"]["WebsocketTcpConverterModulePut"] | null;
      /** @description User agent filter. */
      user_agent_filter?: components["schemas"]["UserAgentFilterModulePut"] | null;
      /** @description HTTP Basic authentication. At most one login can be enabled. */
      basic_auth?: components["schemas"]["BasicAuthModulePut"] | null;
      /** @description OAuth login. At most one login can be enabled. */
      oauth?: components["schemas"]["OAuthModulePut"] | null;
      /** @description OpenID Connect login. At most one login can be enabled. */
      oidc?: components["schemas"]["OidcModulePut"] | null;
      /** @description SAML login. At most one login can be enabled. */
      saml?: components["schemas"]["SamlModulePut"] | null;
    };
    /** @description The TLS termination module in responses. */
    HttpsTerminationModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description TLS termination point. */
      terminate_at: components["schemas"]["TerminateAt"];
      /** @description Minimum version of TLS; null if TLS is not terminated at the edge. */
      min_version: components["schemas"]["TlsVersion"] | null;
    };
    /** @description TLS termination of an HTTPS edge. */
    HttpsTerminationModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /** @description Minimum version of TLS; default: `1.2`. */
      min_version?: components["schemas"]["TlsVersion"] | null;
    };
    /** @description OAuth providers. */
    IdentityProvider:
      "github" | "facebook" | "microsoft" | "google" | "linkedin" | "gitlab" | "twitch" | "amazon";
    /** @description A set of IP rules. It has no effect until an endpoint or a restriction refers to it; without rules it allows no address. */
    IpPolicy: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
    };
    /** @description Body of a create. */
    IpPolicyCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
    };
    /** @description A page of records, newest first. */
    IpPolicyList: {
      /** @description The records. */
      ip_policies: components["schemas"]["IpPolicy"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description One rule of a policy. It has either a range of addresses or a country. */
    IpPolicyRule: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description The addresses, in CIDR notation; the empty string in a rule for a country. */
      cidr: string;
      /** @description The country whose addresses match, ISO 3166-1 alpha-2; absent in a rule for a range. */
      country?: string;
      /** @description Whether they may pass. */
      action: components["schemas"]["Action"];
      /** @description The policy it belongs to. */
      ip_policy: components["schemas"]["Ref"];
    };
    /** @description Body of a create. `ip_policy_id`, `action`, and either `cidr` or `country` are required. */
    IpPolicyRuleCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The policy to add the rule to. */
      ip_policy_id: string;
      /** @description `allow` or `deny`. */
      action: string;
      /** @description A range in CIDR notation, or one address. Required without `country`. */
      cidr?: string | null;
      /** @description A country by its code of ISO 3166-1 alpha-2, such as `DE`, instead of a range. It needs a server with `--geoip`. */
      country?: string | null;
    };
    /** @description A page of records, newest first. */
    IpPolicyRuleList: {
      /** @description The records. */
      ip_policy_rules: components["schemas"]["IpPolicyRule"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    IpPolicyRuleUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description A range in CIDR notation, or one address. It replaces a country. */
      cidr?: string | null;
      /** @description A country by its code of ISO 3166-1 alpha-2. It replaces a range. */
      country?: string | null;
    };
    /** @description Changes of the record. Members that are absent or null stay unchanged. */
    IpPolicyUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
    };
    /** @description Addresses that may use a part of the service. Every enforced restriction of a type must allow an address. */
    IpRestriction: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Whether it is enforced; if not, it only logs warnings. */
      enforced: boolean;
      /** @description The part of the service that it protects. */
      type: components["schemas"]["RestrictionType"];
      /** @description Policies that evaluate an address; all their rules apply together. A deleted policy stays listed and counts as one without rules. */
      ip_policies: components["schemas"]["Ref"][];
    };
    /** @description Body of a create. The type and at least one policy are required. */
    IpRestrictionCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /**
       * @description `dashboard`, `api`, `agent` or `endpoints`.
       * @enum {string}
       */
      type: "dashboard" | "api" | "agent" | "endpoints";
      /** @description The ids of the policies. */
      ip_policy_ids: string[];
      /** @description Default: false. */
      enforced?: boolean | null;
    };
    /** @description A page of records, newest first. */
    IpRestrictionList: {
      /** @description The records. */
      ip_restrictions: components["schemas"]["IpRestriction"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description The IP restriction module in responses. */
    IpRestrictionModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description The policies. One that was deleted stays listed and counts as one without rules. */
      ip_policies: components["schemas"]["Ref"][];
    };
    /** @description IP policies that evaluate a visitor's address; all their rules apply together. */
    IpRestrictionModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /** @description The ids of the policies, 1 to `POLICY_LIMIT`. */
      ip_policy_ids: string[];
    };
    /** @description Body of a change. */
    IpRestrictionUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Whether it is enforced. */
      enforced?: boolean | null;
      /** @description The ids of the policies, replacing all former ones. */
      ip_policy_ids?: string[] | null;
    };
    /** @description Type of a key. */
    KeyType: "rsa" | "ecdsa" | "ed25519";
    /** @description The maintenance module in responses. */
    MaintenanceModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /**
       * Format: date-time
       * @description The end; afterwards the module does nothing.
       */
      until: string | null;
      /**
       * Format: uint16
       * @description HTTP status.
       */
      status_code: number;
      /** @description Body. */
      body: string;
      /** @description Type of the body. */
      content_type: string;
      /** @description Networks whose visitors pass. */
      allow: string[];
    };
    /** @description Maintenance: visitors get a response of the edge, until a time or until the module is turned off. */
    MaintenanceModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /**
       * Format: date-time
       * @description The end, in RFC 3339; afterwards the module does nothing. Without it, the module works until it is turned off.
       */
      until?: string | null;
      /**
       * Format: uint16
       * @description HTTP status, 200 to 599.
       * @default 503
       */
      status_code: number | null;
      /**
       * @description Body, at most 32 KiB. Without it, visitors get the page or the JSON of the server.
       * @default
       */
      body: string | null;
      /**
       * @description Type of the body.
       * @default text/html; charset=utf-8
       */
      content_type: string | null;
      /**
       * @description Networks whose visitors pass, in CIDR notation, at most 100.
       * @default []
       */
      allow: string[] | null;
    };
    /** @description The kinds of keys that such certificates have. */
    ManagedKeyType: "ecdsa" | "rsa";
    /** @description ACME certificate authorities. */
    ManagingAuthority: "letsencrypt";
    /** @description Match type of a route. */
    MatchType: "exact_path" | "path_prefix";
    /** @description The mutual TLS module in responses. */
    MutualTlsModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description The authorities. */
      certificate_authorities: components["schemas"]["Ref"][];
    };
    /** @description Names the authorities that may have signed a visitor's certificate; any one of them is enough. */
    MutualTlsModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /** @description The ids of the authorities, 1 to `AUTHORITY_LIMIT`. */
      certificate_authority_ids: string[];
    };
    /** @description One of the servers that use the store; a server that uses its store alone lists itself. */
    Node: {
      /** @description Its id, which is that of its data folder. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /** @description Its name. */
      name: string;
      /** @description The address that other nodes connect to; empty if there are none. */
      address: string;
      /** @description Version of its program. */
      version: string;
      /** @description What it does. */
      state: components["schemas"]["NodeState"];
      /**
       * Format: date-time
       * @description Time since which it runs.
       */
      started_at: string;
      /** @description Whether it is the node that answers. */
      answering: boolean;
      /** @description The connection from the node that answers. */
      link: components["schemas"]["NodeLink"];
      /**
       * Format: uint64
       * @description Revision of the store up to which all changes are in force there; null if it has not said so.
       */
      revision: number | null;
    };
    /** @description The connection to a node. */
    NodeLink: "own" | "up" | "down";
    /** @description A page of records, newest first. */
    NodeList: {
      /** @description The records. */
      nodes: components["schemas"]["Node"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description A node by its name. */
    NodeName: {
      /** @description Its id. */
      id: string;
      /** @description Its name. */
      name: string;
    };
    /** @description What a node does. */
    NodeState: "starting" | "serving" | "draining";
    /** @description A provider and its access lists: everyone if both lists are empty, else the members of either. */
    OAuthLogin: {
      /**
       * @description The id of an OAuth app of one's own. Empty: the one the server's operator configured.
       * @default
       */
      client_id: string | null;
      /**
       * @description The secret of that app.
       * @default
       */
      client_secret: string | null;
      /**
       * @description OAuth scopes; only with an own OAuth app. Scopes that the login needs are added.
       * @default []
       */
      scopes: string[] | null;
      /**
       * @description The e-mail addresses that may come in.
       * @default []
       */
      email_addresses: string[] | null;
      /**
       * @description The domains whose e-mail addresses may come in.
       * @default []
       */
      email_domains: string[] | null;
    };
    /** @description A provider in responses. */
    OAuthLoginView: {
      /** @description The id of the OAuth app. Empty: the one the server's operator configured. */
      client_id: string;
      /** @description The secret of that app. */
      client_secret: string;
      /** @description OAuth scopes. */
      scopes: string[];
      /** @description The e-mail addresses that may come in. */
      email_addresses: string[];
      /** @description The domains whose e-mail addresses may come in. */
      email_domains: string[];
    };
    /** @description The OAuth module in responses. */
    OAuthModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description Whether OPTIONS requests pass without a login, as CORS needs it. */
      options_passthrough: boolean;
      /** @description Prefix of the session cookie's name. */
      cookie_prefix: string;
      /**
       * Format: uint32
       * @description Seconds without a request after which a session ends; 0: never.
       */
      inactivity_timeout: number;
      /**
       * Format: uint32
       * @description Seconds after which a session ends in any case; 0: never.
       */
      maximum_duration: number;
      /** @description Provider and its access lists. */
      provider: components["schemas"]["OAuthProviderView"];
      /**
       * Format: uint32
       * @description Seconds after which the user's access is checked again at the provider; 0: only at the login.
       */
      auth_check_interval: number;
    };
    /** @description Allows visitors who log in with the provider and are on one of its lists. */
    OAuthModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /**
       * @description Whether OPTIONS requests pass without a login, as CORS needs it.
       * @default false
       */
      options_passthrough: boolean | null;
      /**
       * @description Prefix of the session cookie's name. Empty: the default.
       * @default
       */
      cookie_prefix: string | null;
      /**
       * Format: uint32
       * @description Seconds without a request after which a session ends; 0: never.
       * @default 0
       */
      inactivity_timeout: number | null;
      /**
       * Format: uint32
       * @description Seconds after which a session ends in any case; 0: never.
       * @default 0
       */
      maximum_duration: number | null;
      /** @description Provider and its access lists. */
      provider: components["schemas"]["OAuthProvider"];
      /**
       * Format: uint32
       * @description Seconds after which the user's access is checked again at the provider; 0: only at the login.
       * @default 0
       */
      auth_check_interval: ((number | 0 | unknown) | null) | 0 | unknown;
    };
    /** @description The providers; exactly one is configured. */
    OAuthProvider: {
      /**
       * @description GitHub.
       * @default null
       */
      github: components["schemas"]["GithubLogin"] | null;
      /**
       * @description Facebook.
       * @default null
       */
      facebook: components["schemas"]["OAuthLogin"] | null;
      /**
       * @description Microsoft.
       * @default null
       */
      microsoft: components["schemas"]["OAuthLogin"] | null;
      /**
       * @description Google.
       * @default null
       */
      google: components["schemas"]["OAuthLogin"] | null;
      /**
       * @description LinkedIn.
       * @default null
       */
      linkedin: components["schemas"]["OAuthLogin"] | null;
      /**
       * @description GitLab.
       * @default null
       */
      gitlab: components["schemas"]["OAuthLogin"] | null;
      /**
       * @description Twitch.
       * @default null
       */
      twitch: components["schemas"]["OAuthLogin"] | null;
      /**
       * @description Amazon.
       * @default null
       */
      amazon: components["schemas"]["OAuthLogin"] | null;
    };
    /** @description The providers as they are shown: those that are not configured are null. */
    OAuthProviderView: {
      /** @description GitHub. */
      github: components["schemas"]["GithubLoginView"] | null;
      /** @description Facebook. */
      facebook: components["schemas"]["OAuthLoginView"] | null;
      /** @description Microsoft. */
      microsoft: components["schemas"]["OAuthLoginView"] | null;
      /** @description Google. */
      google: components["schemas"]["OAuthLoginView"] | null;
      /** @description LinkedIn. */
      linkedin: components["schemas"]["OAuthLoginView"] | null;
      /** @description GitLab. */
      gitlab: components["schemas"]["OAuthLoginView"] | null;
      /** @description Twitch. */
      twitch: components["schemas"]["OAuthLoginView"] | null;
      /** @description Amazon. */
      amazon: components["schemas"]["OAuthLoginView"] | null;
    };
    /** @description The OpenID Connect module in responses. */
    OidcModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description Whether OPTIONS requests pass without a login, as CORS needs it. */
      options_passthrough: boolean;
      /** @description Prefix of the session cookie's name. */
      cookie_prefix: string;
      /**
       * Format: uint32
       * @description Seconds without a request after which a session ends; 0: never.
       */
      inactivity_timeout: number;
      /**
       * Format: uint32
       * @description Seconds after which a session ends in any case; 0: never.
       */
      maximum_duration: number;
      /** @description The address of the provider, below which its configuration is found. */
      issuer: string;
      /** @description The id of the app at the provider. */
      client_id: string;
      /** @description The secret of that app. */
      client_secret: string;
      /** @description OAuth scopes. */
      scopes: string[];
    };
    /** @description Allows visitors that the issuer authenticates. */
    OidcModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /**
       * @description Whether OPTIONS requests pass without a login, as CORS needs it.
       * @default false
       */
      options_passthrough: boolean | null;
      /**
       * @description Prefix of the session cookie's name. Empty: the default.
       * @default
       */
      cookie_prefix: string | null;
      /**
       * Format: uint32
       * @description Seconds without a request after which a session ends; 0: never.
       * @default 0
       */
      inactivity_timeout: number | null;
      /**
       * Format: uint32
       * @description Seconds after which a session ends in any case; 0: never.
       * @default 0
       */
      maximum_duration: number | null;
      /** @description The address of the provider, below which its configuration is found. */
      issuer: string;
      /** @description The id of the app at the provider; tokens must be made out to it. */
      client_id: string;
      /** @description The secret of that app. */
      client_secret: string;
      /**
       * @description Scopes. `openid` is added if it is missing.
       * @default []
       */
      scopes: string[] | null;
    };
    /** @description Effect of a reference on the deletion of its target. */
    OnDelete: "refuses" | "goes" | "stays";
    /** @description The server asks for a certificate. */
    ProvisioningJob: {
      /** @description Error code of the last attempt; null if it did not fail. */
      error_code: string | null;
      /** @description Description of the status. */
      msg: string;
      /**
       * Format: date-time
       * @description Start time.
       */
      started_at: string;
      /**
       * Format: date-time
       * @description Time of the next attempt; null if none is needed.
       */
      retries_at: string | null;
    };
    /** @description Calls of the API that restore the state before a change. */
    PutBack: {
      /** @description The calls in order; empty if the state cannot be restored. */
      calls: components["schemas"]["PutBackCall"][];
      /** @description What they do not restore, or why there are none. */
      note: string;
    };
    /** @description A call of the API. */
    PutBackCall: {
      /** @description `POST`, `PATCH`, `PUT` or `DELETE`. */
      method: string;
      /** @description Path of the call. */
      path: string;
      /** @description Body of the call; null for `DELETE`. */
      body: {
        [key: string]: unknown;
      } | null;
    };
    /** @description The rate limit module in responses. */
    RateLimitModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /**
       * Format: uint32
       * @description Requests that are admitted in an interval.
       */
      requests: number;
      /**
       * Format: uint32
       * @description Seconds of the interval.
       */
      interval: number;
      /**
       * Format: uint32
       * @description Further requests that are admitted once.
       */
      burst: number;
      /** @description What is counted separately. */
      key: string;
    };
    /** @description Rate limit: admits a number of requests in an interval, and refuses more with status 429. TLS and TCP edges count connections. */
    RateLimitModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /**
       * Format: uint32
       * @description Requests that are admitted in an interval, 1 to `RATE_LIMIT`.
       * @default 100
       */
      requests: number | null;
      /**
       * Format: uint32
       * @description Seconds of the interval, 1 to `RATE_INTERVAL_LIMIT`.
       * @default 10
       */
      interval: number | null;
      /**
       * Format: uint32
       * @description Further requests that are admitted once, up to `RATE_LIMIT`. They become available again while fewer requests are made than the interval admits.
       * @default 0
       */
      burst: number | null;
      /**
       * @description What is counted separately: `address`, `identity` (the person who has logged in), `header:NAME` or `everyone` (all visitors together). Visitors without an identity or the header are counted by their address. TLS and TCP edges support `address` and `everyone`.
       * @default address
       */
      key: string | null;
    };
    /** @description A request of a visitor without headers, query and body. The server keeps the last ones of each edge, route and tunnel in memory. Parts that it did not reach are empty. */
    RecentRequest: {
      /** @description Operation id on the visitor's error page and in the access log, `op_…`. */
      id: string;
      /** @description Start time with microseconds, RFC 3339, UTC. */
      at: string;
      /** @description The address of the visitor. */
      ip: string;
      /** @description `https` or `http`. */
      scheme: string;
      /** @description Such as `HTTP/1.1`. */
      protocol: string;
      /** @description Requested host. */
      host: string;
      /** @description The method. */
      method: string;
      /** @description The path without its query, cut after 512 bytes. */
      path: string;
      /**
       * Format: uint16
       * @description The status of the response.
       */
      status: number;
      /** @description Whether the response has ended; until then bytes are 0, and the duration is that until the response began. */
      complete: boolean;
      /**
       * Format: uint64
       * @description Time until the last byte of the response.
       */
      duration_microseconds: number;
      /**
       * Format: uint64
       * @description Bytes of the request's body.
       */
      bytes_in: number;
      /**
       * Format: uint64
       * @description Bytes of the response's body.
       */
      bytes_out: number;
      /** @description The edge; empty if the request came to the address of a tunnel. */
      edge_id: string;
      /** @description The route of the edge. */
      route_id: string;
      /** @description Backend of the edge or route. */
      backend_id: string;
      /** @description The tunnel that served it, or was tried last. */
      tunnel_id: string;
      /** @description The session of its agent. */
      tunnel_session_id: string;
      /** @description The credential of its agent. */
      credential_id: string;
      /** @description Why it was refused, as a code; empty if it was not. */
      error_code: string;
      /** @description Why, in a sentence. */
      msg: string;
      /** @description The party at fault if it was refused or failed: `visitor`, `configuration`, `agent`, `service` or `server`; otherwise empty. */
      fault: string;
      /** @description The module that refused it; empty if none did. */
      refused_by: string;
      /** @description Decisions of modules and restrictions, in order. */
      decisions: components["schemas"]["Decision"][];
      /** @description The node that the visitor reached; absent if the server uses its store alone. */
      node?: components["schemas"]["NodeName"] | null;
    };
    /** @description The last requests, newest first. There are no further pages. */
    RecentRequestList: {
      /** @description The records. */
      requests: components["schemas"]["RecentRequest"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
      /** @description Nodes that did not answer in time, whose share is missing; absent if there are none. */
      nodes_missing?: components["schemas"]["NodeName"][];
    };
    /** @description The redirect module in responses. */
    RedirectModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description The rules in order. */
      rules: components["schemas"]["RedirectRule"][];
    };
    /** @description Redirects: the first rule that matches a request sends the visitor to its target. */
    RedirectModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /** @description The rules in order, 1 to 100. */
      rules: components["schemas"]["RedirectRuleInput"][];
    };
    /** @description A rule of the redirect module. */
    RedirectRule: {
      /** @description Host of the requests, or `*.` and a domain for all names below it; empty for every host. */
      host: string;
      /** @description Regular expression that matches the whole path, which has no percent-encoding and no dot segments; empty for every path. */
      path: string;
      /** @description Target: a path that begins with one slash, or a URL. After the host it can contain variables, `${…}`, and the groups of the pattern, `${1}`. */
      to: string;
      /**
       * Format: uint16
       * @description Status: 301, 302, 303, 307 or 308.
       * @enum {integer}
       */
      status_code: 301 | 302 | 303 | 307 | 308;
    };
    /** @description A rule of the redirect module. */
    RedirectRuleInput: {
      /**
       * @description Host of the requests, or `*.` and a domain for all names below it; empty for every host.
       * @default
       */
      host: string | null;
      /**
       * @description Regular expression that matches the whole path, which has no percent-encoding and no dot segments; empty for every path.
       * @default
       */
      path: string | null;
      /** @description Target: a path that begins with one slash, or a URL. After the host it can contain variables, `${…}`, and the groups of the pattern, `${1}`. */
      to: string;
      /**
       * Format: uint16
       * @description Status: 301, 302, 303, 307 or 308.
       * @default 302
       * @enum {integer|null}
       */
      status_code: 301 | 302 | 303 | 307 | 308 | null;
    };
    /** @description A reference to another resource, which may have been deleted since. */
    Ref: {
      /** @description Id of the resource. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
    };
    /** @description A refused request or connection. The server keeps the last ones of each edge in memory. */
    RefusedVisit: {
      /** @description Operation id on the visitor's error page and in the access log, `op_…`. */
      id: string;
      /**
       * Format: date-time
       * @description Start time.
       */
      at: string;
      /** @description The address of the visitor. */
      ip: string;
      /** @description `https` for requests, `tls` or `tcp` for connections. */
      scheme: string;
      /** @description Requested host; empty for TCP edges. */
      host: string;
      /** @description The method of the request; empty for connections. */
      method: string;
      /** @description The path of the request, without its query; empty for connections. */
      path: string;
      /**
       * Format: uint16
       * @description The status of the answer; 0 for connections, which are closed without one.
       */
      status: number;
      /** @description Why, as a code. */
      error_code: string;
      /** @description Why, in a sentence. */
      msg: string;
      /** @description The route of the edge; null if none was reached. */
      route: components["schemas"]["Ref"] | null;
      /** @description Decisions of modules and restrictions, in order. The last one has refused, unless none did. */
      decisions: components["schemas"]["Decision"][];
      /**
       * Format: uint64
       * @description Time until the refusal.
       */
      duration_microseconds: number;
    };
    /** @description Latest requests and connections that the edge refused, newest first. There are no further pages. */
    RefusedVisitList: {
      /** @description The records. */
      decisions: components["schemas"]["RefusedVisit"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description The name of a place, as clients of larger services send it. */
    Region: "" | "us" | "eu" | "ap" | "au" | "sa" | "jp" | "in" | "us-cal-1";
    /** @description A header module in responses. */
    RequestHeadersModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description Headers to add, their names in lower case. */
      add: {
        [key: string]: string;
      };
      /** @description Names of headers to remove, in lower case. */
      remove: string[];
    };
    /** @description Header changes of requests before they go to the backend. */
    RequestHeadersModulePut: components["schemas"]["HeaderChanges"];
    /** @description A TCP address that only its owner's agents, and edges, can have. */
    ReservedAddress: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description The address, `host:port`. */
      addr: string;
      /** @description Region; there is a single region, so it has no effect. */
      region: components["schemas"]["Region"];
      /** @description The user or bot user whose agents may bind it. */
      owner_id: string;
    };
    /** @description Body of a create. */
    ReservedAddressCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description An address of this server; default: a free one. */
      addr?: string | null;
      /** @description Default: `us`. */
      region?: components["schemas"]["Region"] | null;
      /** @description Owner; default: the caller. Only administrators may set another owner. */
      owner_id?: string | null;
    };
    /** @description A page of records, newest first. */
    ReservedAddressList: {
      /** @description The records. */
      reserved_addrs: components["schemas"]["ReservedAddress"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    ReservedAddressUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
    };
    /** @description A name that only its owner's agents, and edges, can have; so are the names below it. */
    ReservedDomain: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description The name; the first part may be `*`. */
      domain: string;
      /** @description Always empty: there is a single region. */
      region: components["schemas"]["Region"];
      /** @description Policy for obtaining a certificate; null if the server does not obtain one. */
      certificate_management_policy: components["schemas"]["CertificateManagementPolicy"] | null;
      /** @description Target of its DNS record. */
      resolves_to: components["schemas"]["ResolvesTo"][];
      /** @description The user or bot user whose agents may bind it. */
      owner_id: string;
      /** @description The name that the domain's CNAME record must lead to; null below the server's own domain, which needs none. */
      cname_target: string | null;
      /** @description The certificate that is served for it, if a certain one is. */
      certificate: components["schemas"]["Ref"] | null;
      /** @description Status of obtaining a certificate; null without a policy. */
      certificate_management_status: components["schemas"]["CertificateManagementStatus"] | null;
      /** @description Name below the server's domain that serves the ACME DNS challenge, if the domain's `_acme-challenge` record points to it. Set for wildcards that are not below the server's own domain. */
      acme_challenge_cname_target: string | null;
    };
    /** @description Body of a create. */
    ReservedDomainCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description A host name, in full or as one part below the server's domain; the first part may be `*`. Without it a free name below the server's domain is chosen. */
      domain?: string | null;
      /** @description Domain, as named by older clients. */
      name?: string | null;
      /** @description Ignored: there is a single region. */
      region?: components["schemas"]["Region"] | null;
      /** @description The TLS certificate to serve for it; not together with a policy. */
      certificate_id?: string | null;
      /** @description Policy for obtaining a certificate; not together with a certificate. */
      certificate_management_policy?: components["schemas"]["CertificateManagementPolicyInput"] | null;
      /** @description Target of its DNS record. */
      resolves_to?: components["schemas"]["ResolvesToInput"][] | null;
      /** @description Owner; default: the caller. Only administrators may set another owner. */
      owner_id?: string | null;
    };
    /** @description A page of records, newest first. */
    ReservedDomainList: {
      /** @description The records. */
      reserved_domains: components["schemas"]["ReservedDomain"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. A certificate replaces a policy, and a policy replaces a certificate. */
    ReservedDomainUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The TLS certificate to serve for it; empty for none. */
      certificate_id?: string | null;
      /** @description Policy for obtaining a certificate. */
      certificate_management_policy?: components["schemas"]["CertificateManagementPolicyInput"] | null;
      /** @description Target of its DNS record. */
      resolves_to?: components["schemas"]["ResolvesToInput"][] | null;
    };
    /** @description One place a domain is resolved to. */
    ResolvesTo: {
      /** @description The name of the place, 1 to 64 bytes. */
      value: string;
    };
    /** @description One place a domain is resolved to. */
    ResolvesToInput: {
      /** @description The name of the place, 1 to 64 bytes. */
      value: string;
    };
    /** @description A header module in responses. */
    ResponseHeadersModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description Headers to add, their names in lower case. */
      add: {
        [key: string]: string;
      };
      /** @description Names of headers to remove, in lower case. */
      remove: string[];
    };
    /** @description Header changes of responses before they go to the visitor. */
    ResponseHeadersModulePut: components["schemas"]["HeaderChanges"];
    /** @description The part of the service that a restriction guards. */
    RestrictionType: "dashboard" | "api" | "agent" | "endpoints";
    /** @description The rewrite module in responses. */
    RewriteModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description Segments that are removed from the beginning of the path. */
      strip_prefix: string;
      /** @description Segments that are put in front of the path. */
      add_prefix: string;
      /** @description Regular expression that matches the whole path. */
      path: string;
      /** @description The new path of requests that match `path`. */
      to: string;
      /** @description `Host` of the requests. */
      host: string;
    };
    /** @description Rewrites the path and the host of requests for the backend. All other modules see them as the visitor sent them. */
    RewriteModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /**
       * @description Segments that are removed from the beginning of the path, such as `/api`. Other paths stay unchanged.
       * @default
       */
      strip_prefix: string | null;
      /**
       * @description Segments that are put in front of the path, such as `/v1`.
       * @default
       */
      add_prefix: string | null;
      /**
       * @description Regular expression that matches the whole path, which has no percent-encoding and no dot segments. It needs `to` and excludes prefixes.
       * @default
       */
      path: string | null;
      /**
       * @description The new path of requests that match `path`. It can contain the groups of the pattern, `${1}`, and variables.
       * @default
       */
      to: string | null;
      /**
       * @description `Host` of the requests, with or without a port. The visitor's is in `X-Original-Host`, and redirects to this host lead to the visitor's.
       * @default
       */
      host: string | null;
    };
    /** @description What the holder of an API key may see and change. */
    Role: "admin" | "editor" | "viewer" | "agent-owner";
    /** @description The SAML module in responses, with the settings for the identity provider. */
    SamlModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description Whether OPTIONS requests pass without a login, as CORS needs it. */
      options_passthrough: boolean;
      /** @description Prefix of the session cookie's name. */
      cookie_prefix: string;
      /**
       * Format: uint32
       * @description Seconds without a request after which a session ends; 0: never.
       */
      inactivity_timeout: number;
      /**
       * Format: uint32
       * @description Seconds after which a session ends in any case; 0: never.
       */
      maximum_duration: number;
      /** @description The identity provider's EntityDescriptor, as it was given. */
      idp_metadata: string;
      /** @description Always empty: metadata is uploaded, not fetched. */
      idp_metadata_url: string;
      /** @description Whether the provider must ask for the password again at every login. */
      force_authn: boolean;
      /** @description Whether a login may begin at the provider. */
      allow_idp_initiated: boolean;
      /** @description The groups whose members may come in. Empty: everybody. */
      authorized_groups: string[];
      /** @description Name identifier format. */
      nameid_format: string;
      /** @description Entity id of this route at the identity provider. */
      entity_id: string;
      /** @description Assertion consumer service URL. */
      assertion_consumer_service_url: string;
      /** @description Single logout URL. */
      single_logout_url: string;
      /** @description Certificate of the key that signs messages to the identity provider. */
      request_signing_certificate_pem: string;
      /** @description URL of the service provider metadata; equal to `entity_id`. */
      metadata_url: string;
    };
    /** @description Allows visitors that the identity provider authenticates. */
    SamlModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /**
       * @description Whether OPTIONS requests pass without a login, as CORS needs it.
       * @default false
       */
      options_passthrough: boolean | null;
      /**
       * @description Prefix of the session cookie's name. Empty: the default.
       * @default
       */
      cookie_prefix: string | null;
      /**
       * Format: uint32
       * @description Seconds without a request after which a session ends; 0: never.
       * @default 0
       */
      inactivity_timeout: number | null;
      /**
       * Format: uint32
       * @description Seconds after which a session ends in any case; 0: never.
       * @default 0
       */
      maximum_duration: number | null;
      /** @description The identity provider's EntityDescriptor, the whole XML; at most 128 KiB. */
      idp_metadata: string;
      /**
       * @description Whether the provider must ask for the password again at every login.
       * @default false
       */
      force_authn: boolean | null;
      /**
       * @description Whether a login may start at the provider. Default: true.
       * @default true
       */
      allow_idp_initiated: boolean | null;
      /**
       * @description The groups whose members may come in. Empty: everybody.
       * @default []
       */
      authorized_groups: string[] | null;
      /**
       * @description Name identifier format. Empty: the default, `urn:oasis:names:tc:SAML:2.0:nameid-format:persistent`.
       * @default
       * @enum {string|null}
       */
      nameid_format:
        | "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
        | "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
        | "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
        | "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"
        | ""
        | null;
    };
    /** @description Facts about the server that every caller may read: its public addresses, and the settings for identity providers. */
    ServerFacts: {
      /** @description The version of the server's program. */
      version: string;
      /** @description The domain under which endpoints are published. */
      domain: string;
      /**
       * Format: uint16
       * @description The port on which visitors with HTTPS are served.
       */
      https_port: number;
      /**
       * Format: uint16
       * @description The first port that a TCP edge may have.
       */
      first_tcp_port: number;
      /**
       * Format: uint16
       * @description The last port that a TCP edge may have.
       */
      last_tcp_port: number;
      /** @description Base URL of logins, without a trailing slash. */
      login_url: string;
      /** @description Redirect URI of OAuth and OpenID Connect logins. */
      callback_url: string;
      /** @description The identity providers with which the server has an OAuth app of its own. */
      oauth_apps: components["schemas"]["IdentityProvider"][];
      /** @description Whether the operator lists Microsoft tenants. Without them no Microsoft account is admitted by its e-mail address. */
      microsoft_tenants: boolean;
      /** @description Role of the API key with which the facts are read. */
      role?: components["schemas"]["Role"] | null;
    };
    /** @description Current state of the server. Where several nodes use its store, sessions, tunnels and traffic are those of all nodes. */
    ServerStatus: {
      /** @description The version of the server. */
      version: string;
      /**
       * Format: date-time
       * @description Since when it has been running; of several nodes, the one that has been running longest.
       */
      started_at: string;
      /** @description Name of its region. */
      region: string;
      /** @description The domain under which tunnels are published. */
      domain: string;
      /**
       * Format: uint16
       * @description The port for visitors with HTTPS.
       */
      https_port: number;
      /**
       * Format: uint64
       * @description Agents that are connected.
       */
      sessions: number;
      /**
       * Format: uint64
       * @description Tunnels that are up.
       */
      tunnels: number;
      /** @description Number of configured objects. */
      configured: components["schemas"]["Configured"];
      /** @description Storage on disk. */
      store: components["schemas"]["StoreStatus"];
      /** @description The ten TLS certificates that expire first. */
      expiring: components["schemas"]["ExpiringCertificate"][];
      /** @description All that passed since the server started. */
      traffic: components["schemas"]["TrafficCounts"];
      /** @description The last minute and the last hour of it. */
      history: components["schemas"]["TrafficHistory"];
      /** @description Nodes that did not answer in time, whose share is missing in sessions, tunnels and traffic; absent if there are none. */
      nodes_missing?: components["schemas"]["NodeName"][];
    };
    /** @description Body of a command; it has no fields. */
    SessionCommand: Record<string, never>;
    /** @description Its key pair is made by the server; the private half is never shown. */
    SshCertificateAuthority: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description The public key as a line of OpenSSH: for `@cert-authority` in `known_hosts`, or for `TrustedUserCAKeys`. */
      public_key: string;
      /** @description The kind of the key. */
      key_type: components["schemas"]["KeyType"];
    };
    /** @description Body of a create. */
    SshCertificateAuthorityCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description `rsa`, `ecdsa` or `ed25519`; default: `ed25519`. */
      private_key_type?: string | null;
      /** @description For `ecdsa` only: `nistp256`, `nistp384` or `nistp521`; default: `nistp256`. */
      elliptic_curve?: string | null;
      /**
       * Format: int64
       * @description For `rsa` only: 2048 or 4096; default: 4096.
       */
      key_size?: number | null;
    };
    /** @description A page of records, newest first. */
    SshCertificateAuthorityList: {
      /** @description The records. */
      ssh_certificate_authorities: components["schemas"]["SshCertificateAuthority"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    SshCertificateAuthorityUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
    };
    /** @description Content of a host certificate. */
    SshHostCertificate: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description The authority that signed it. */
      ssh_certificate_authority_id: string;
      /** @description The server's public key as a line of OpenSSH. */
      public_key: string;
      /** @description Host names and addresses it is valid for; none means every host. */
      principals: string[];
      /**
       * Format: date-time
       * @description Start of its validity.
       */
      valid_after: string;
      /**
       * Format: date-time
       * @description End of its validity.
       */
      valid_until: string;
      /** @description The kind of the public key. */
      key_type: components["schemas"]["KeyType"];
      /** @description The signed certificate, to be stored as a `-cert.pub` file. */
      certificate: string;
    };
    /** @description Body of a create. */
    SshHostCertificateCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The authority that shall sign. */
      ssh_certificate_authority_id: string;
      /** @description The server's public key: the line of a `.pub` file. RSA, ECDSA or Ed25519. */
      public_key: string;
      /** @description The host names and addresses it shall be valid for; none mean every host. */
      principals?: string[] | null;
      /** @description An RFC 3339 timestamp; default: now. */
      valid_after?: string | null;
      /** @description An RFC 3339 timestamp; default: one year from now. */
      valid_until?: string | null;
    };
    /** @description A page of records, newest first. */
    SshHostCertificateList: {
      /** @description The records. */
      ssh_host_certificates: components["schemas"]["SshHostCertificate"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    SshHostCertificateUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
    };
    /** @description Content of a user certificate. */
    SshUserCertificate: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description The authority that signed it. */
      ssh_certificate_authority_id: string;
      /** @description The user's public key as a line of OpenSSH. */
      public_key: string;
      /** @description User names (principals) it is valid for. OpenSSH's server refuses a certificate without any. */
      principals: string[];
      /**
       * Format: date-time
       * @description Start of its validity.
       */
      valid_after: string;
      /**
       * Format: date-time
       * @description End of its validity.
       */
      valid_until: string;
      /** @description Critical options, which a server must understand to accept the certificate: `force-command`, `source-address` and others. */
      critical_options: {
        [key: string]: string;
      };
      /** @description Extensions: permissions of the user. A server ignores unknown ones. */
      extensions: {
        [key: string]: string;
      };
      /** @description The kind of the public key. */
      key_type: components["schemas"]["KeyType"];
      /** @description The signed certificate, to be stored as a `-cert.pub` file. */
      certificate: string;
    };
    /** @description Body of a create. */
    SshUserCertificateCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The authority that shall sign. */
      ssh_certificate_authority_id: string;
      /** @description The user's public key: the line of a `.pub` file. RSA, ECDSA or Ed25519. */
      public_key: string;
      /** @description User names (principals) it is valid for. OpenSSH's server refuses a certificate without any. */
      principals?: string[] | null;
      /** @description An RFC 3339 timestamp; default: now. */
      valid_after?: string | null;
      /** @description An RFC 3339 timestamp; default: 24 hours from now. */
      valid_until?: string | null;
      /** @description Critical options, which a server must understand to accept the certificate: `force-command`, `source-address` and others. */
      critical_options?: {
        [key: string]: string | null;
      } | null;
      /** @description Extensions: permissions of the user; default: `permit-pty` and `permit-user-rc`. */
      extensions?: {
        [key: string]: string | null;
      } | null;
    };
    /** @description A page of records, newest first. */
    SshUserCertificateList: {
      /** @description The records. */
      ssh_user_certificates: components["schemas"]["SshUserCertificate"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    SshUserCertificateUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
    };
    /** @description Routes visitors to an address that the server dials itself, without an agent. */
    StaticBackend: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Address, `host:port`. */
      address: string;
      /** @description Whether the server connects to it over TLS. */
      tls: components["schemas"]["BackendTls"];
    };
    /** @description Body of a create. The address is required. */
    StaticBackendCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description A host name, an IPv4 address or an IPv6 address in brackets, a colon and a port. */
      address: string;
      /** @description Default: off. */
      tls?: components["schemas"]["BackendTlsInput"] | null;
    };
    /** @description A page of records, newest first. */
    StaticBackendList: {
      /** @description The records. */
      backends: components["schemas"]["StaticBackend"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    StaticBackendUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description A host name, an IPv4 address or an IPv6 address in brackets, a colon and a port. */
      address?: string | null;
      /** @description Replaced whole. */
      tls?: components["schemas"]["BackendTlsInput"] | null;
    };
    /** @description The data folder. */
    StoreStatus: {
      /**
       * Format: uint64
       * @description Number of changes written so far.
       */
      revision: number;
      /**
       * Format: uint64
       * @description Size of its files.
       */
      bytes: number;
    };
    /** @description The names of a certificate beside its common name. */
    SubjectAlternativeNames: {
      /** @description Host names; the first part of a name may be `*`. */
      dns_names: string[];
      /** @description IP addresses. */
      ips: string[];
    };
    /** @description TCP addresses that stand open for visitors. */
    TcpEdge: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Addresses, `host:port` each; may be empty. */
      hostports: string[];
      /** @description Backend of the connections. */
      backend: components["schemas"]["BackendModule"] | null;
      /** @description Addresses that may connect. */
      ip_restriction: components["schemas"]["IpRestrictionModule"] | null;
      /** @description Rate limit of connections. */
      rate_limit: components["schemas"]["RateLimitModule"] | null;
    };
    /** @description Body of a create. In a change, a given module is replaced as a whole. */
    TcpEdgeCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The addresses to serve. */
      hostports?: string[] | null;
      /** @description Backend of the connections. */
      backend?: components["schemas"]["BackendModulePut"] | null;
      /** @description Addresses that may connect. */
      ip_restriction?: components["schemas"]["IpRestrictionModulePut"] | null;
      /** @description Rate limit of connections. Its key is `address` or `everyone`. */
      rate_limit?: components["schemas"]["RateLimitModulePut"] | null;
    };
    /** @description A page of records, newest first. */
    TcpEdgeList: {
      /** @description The records. */
      tcp_edges: components["schemas"]["TcpEdge"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Changes of the record. Members that are absent or null stay unchanged. */
    TcpEdgeUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The addresses to serve. */
      hostports?: string[] | null;
      /** @description Backend of the connections. */
      backend?: components["schemas"]["BackendModulePut"] | null;
      /** @description Addresses that may connect. */
      ip_restriction?: components["schemas"]["IpRestrictionModulePut"] | null;
      /** @description Rate limit of connections. Its key is `address` or `everyone`. */
      rate_limit?: components["schemas"]["RateLimitModulePut"] | null;
    };
    /** @description TLS termination point of visitors' connections. */
    TerminateAt: "edge" | "upstream";
    /** @description Uploaded certificate; the private key is never shown. */
    TlsCertificate: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Certificate chain in PEM, leaf first. */
      certificate_pem: string;
      /** @description The common name of the subject; empty if it has none. */
      subject_common_name: string;
      /** @description Subject alternative names. */
      subject_alternative_names: components["schemas"]["SubjectAlternativeNames"];
      /**
       * Format: date-time
       * @description Time at which this server obtained it; null for an uploaded certificate.
       */
      issued_at: string | null;
      /**
       * Format: date-time
       * @description Start of its validity.
       */
      not_before: string;
      /**
       * Format: date-time
       * @description End of its validity.
       */
      not_after: string;
      /** @description Key usage, `DigitalSignature` for example. */
      key_usages: string[];
      /** @description Extended key usage, `ServerAuth` for example; a usage without a name is given by its OID. */
      extended_key_usages: string[];
      /** @description The kind of the private key. */
      private_key_type: components["schemas"]["KeyType"];
      /** @description The common name of the issuer. */
      issuer_common_name: string;
      /** @description In lower-case hexadecimal digits. */
      serial_number: string;
      /** @description The organization of the subject; empty if it has none. */
      subject_organization: string;
      /** @description The organizational unit of the subject; empty if it has none. */
      subject_organizational_unit: string;
      /** @description The locality of the subject; empty if it has none. */
      subject_locality: string;
      /** @description The province of the subject; empty if it has none. */
      subject_province: string;
      /** @description The country of the subject; empty if it has none. */
      subject_country: string;
    };
    /** @description Body of a create. */
    TlsCertificateCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Certificate chain in PEM, leaf first. */
      certificate_pem: string;
      /** @description The private key of the leaf in PEM, not encrypted. */
      private_key_pem: string;
    };
    /** @description A page of records, newest first. */
    TlsCertificateList: {
      /** @description The records. */
      tls_certificates: components["schemas"]["TlsCertificate"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    TlsCertificateUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
    };
    /** @description Host names that stand open for visitors with TLS. */
    TlsEdge: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Names, `host:port` each; may be empty. */
      hostports: string[];
      /** @description Backend of the connections. */
      backend: components["schemas"]["BackendModule"] | null;
      /** @description Addresses that may connect. */
      ip_restriction: components["schemas"]["IpRestrictionModule"] | null;
      /** @description Rate limit of connections. */
      rate_limit: components["schemas"]["RateLimitModule"] | null;
      /** @description Certificate authorities of visitors' certificates (mutual TLS). */
      mutual_tls: components["schemas"]["MutualTlsModule"] | null;
      /** @description TLS termination; without it, TLS is terminated at the backend. */
      tls_termination: components["schemas"]["HttpsTerminationModule"] | null;
    };
    /** @description Body of a create. In a change, a given module is replaced as a whole. */
    TlsEdgeCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Names to serve: `host:443`, or `host:` and the HTTPS port of this server. */
      hostports?: string[] | null;
      /** @description Backend of the connections. */
      backend?: components["schemas"]["BackendModulePut"] | null;
      /** @description Addresses that may connect. */
      ip_restriction?: components["schemas"]["IpRestrictionModulePut"] | null;
      /** @description Rate limit of connections. Its key is `address` or `everyone`. */
      rate_limit?: components["schemas"]["RateLimitModulePut"] | null;
      /** @description Certificate authorities of visitors' certificates (mutual TLS). Requires TLS termination at the edge. */
      mutual_tls?: components["schemas"]["MutualTlsModulePut"] | null;
      /** @description TLS termination; without it, TLS is terminated at the backend. */
      tls_termination?: components["schemas"]["TlsTerminationModulePut"] | null;
    };
    /** @description A page of records, newest first. */
    TlsEdgeList: {
      /** @description The records. */
      tls_edges: components["schemas"]["TlsEdge"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Changes of the record. Members that are absent or null stay unchanged. */
    TlsEdgeUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Names to serve: `host:443`, or `host:` and the HTTPS port of this server. */
      hostports?: string[] | null;
      /** @description Backend of the connections. */
      backend?: components["schemas"]["BackendModulePut"] | null;
      /** @description Addresses that may connect. */
      ip_restriction?: components["schemas"]["IpRestrictionModulePut"] | null;
      /** @description Rate limit of connections. Its key is `address` or `everyone`. */
      rate_limit?: components["schemas"]["RateLimitModulePut"] | null;
      /** @description Certificate authorities of visitors' certificates (mutual TLS). Requires TLS termination at the edge. */
      mutual_tls?: components["schemas"]["MutualTlsModulePut"] | null;
      /** @description TLS termination; without it, TLS is terminated at the backend. */
      tls_termination?: components["schemas"]["TlsTerminationModulePut"] | null;
    };
    /** @description The TLS termination module in responses. */
    TlsTerminationModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description TLS termination point. */
      terminate_at: components["schemas"]["TerminateAt"];
      /** @description Minimum version of TLS; null if TLS is not terminated at the edge. */
      min_version: components["schemas"]["TlsVersion"] | null;
    };
    /** @description TLS termination of a TLS edge. */
    TlsTerminationModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /** @description TLS termination point; default: `edge`. */
      terminate_at?: components["schemas"]["TerminateAt"] | null;
      /** @description Minimum version of TLS; default: `1.2`. Only if TLS is terminated at the edge. */
      min_version?: components["schemas"]["TlsVersion"] | null;
    };
    /** @description A version of TLS that is offered to visitors. */
    TlsVersion: "1.2" | "1.3";
    /** @description Traffic of one edge, route or tunnel. */
    Traffic: {
      /** @description Its id. */
      id: string;
      /** @description Kind. */
      kind: components["schemas"]["TrafficKind"];
      /** @description Totals since the server started. */
      total: components["schemas"]["TrafficCounts"];
      /** @description Traffic of the last 60 seconds. */
      last_minute: components["schemas"]["TrafficPoint"];
      /** @description History of the last minute and the last hour; null in lists. */
      history: components["schemas"]["TrafficHistory"] | null;
      /** @description Nodes that did not answer in time, whose share is missing; absent if there are none, and in lists. */
      nodes_missing?: components["schemas"]["NodeName"][];
    };
    /** @description Totals since the server started. */
    TrafficCounts: {
      /**
       * Format: uint64
       * @description Requests with a response, and connections that were forwarded or refused.
       */
      requests: number;
      /**
       * Format: uint64
       * @description Responses with status 3xx.
       */
      redirected: number;
      /**
       * Format: uint64
       * @description Responses with status 4xx.
       */
      refused: number;
      /**
       * Format: uint64
       * @description Responses with status 5xx.
       */
      failed: number;
      /** @description Errors by the party at fault. */
      faults: components["schemas"]["TrafficFaults"];
      /**
       * Format: uint64
       * @description Bytes from visitors: bodies of requests with a response, or all bytes of a connection. Counted at its end.
       */
      bytes_in: number;
      /**
       * Format: uint64
       * @description Bytes to visitors: bodies of responses, or all bytes of a connection. Counted at its end.
       */
      bytes_out: number;
    };
    /** @description Refused and failed requests, by the party at fault. */
    TrafficFaults: {
      /**
       * Format: uint64
       * @description The visitor: the request cannot be served.
       */
      visitor: number;
      /**
       * Format: uint64
       * @description The configuration: it denies the request, or has no entry for it.
       */
      configuration: number;
      /**
       * Format: uint64
       * @description The agent: it is offline, or broke the connection.
       */
      agent: number;
      /**
       * Format: uint64
       * @description The local service: it cannot be reached, or failed.
       */
      service: number;
      /**
       * Format: uint64
       * @description This server.
       */
      server: number;
    };
    /** @description History of the last minute and the last hour, newest point last. */
    TrafficHistory: {
      /** @description The last 60 seconds, one point each. */
      seconds: components["schemas"]["TrafficPoint"][];
      /** @description The last 60 minutes, one point each; the newest minute is not complete. */
      minutes: components["schemas"]["TrafficPoint"][];
    };
    /** @description Traffic in one interval. TLS and TCP connections count as requests. */
    TrafficInterval: {
      /**
       * Format: date-time
       * @description Start of the interval.
       */
      at: string;
      /**
       * Format: uint64
       * @description Requests with a response, and connections that were forwarded or refused.
       */
      requests: number;
      /**
       * Format: uint64
       * @description Responses with status 1xx or 2xx, and connections that were forwarded.
       */
      succeeded: number;
      /**
       * Format: uint64
       * @description Responses with status 3xx.
       */
      redirected: number;
      /**
       * Format: uint64
       * @description Responses with status 4xx, and refused connections.
       */
      refused: number;
      /**
       * Format: uint64
       * @description Responses with status 5xx, and failed connections.
       */
      failed: number;
      /**
       * Format: uint64
       * @description Bytes from visitors, counted at the end of requests and connections.
       */
      bytes_in: number;
      /**
       * Format: uint64
       * @description Bytes to visitors, counted at the end of requests and connections.
       */
      bytes_out: number;
      /** @description Latency of the requests; null without HTTP requests. */
      latency: components["schemas"]["TrafficLatency"] | null;
    };
    /** @description Kind of object with traffic counters. */
    TrafficKind: "https_edge" | "https_route" | "tls_edge" | "tcp_edge" | "tunnel";
    /** @description Time from a request to the head of its response in microseconds, within 12 %. Times below 64 microseconds and above 134 seconds are counted as these. */
    TrafficLatency: {
      /**
       * Format: uint64
       * @description Median: half of the requests took at most this long.
       */
      p50: number;
      /**
       * Format: uint64
       * @description 95 % of the requests took at most this long.
       */
      p95: number;
      /**
       * Format: uint64
       * @description 99 % of the requests took at most this long.
       */
      p99: number;
    };
    /** @description Traffic of edges, routes and tunnels, the busiest first. There are at most 1,000, and no further pages. */
    TrafficList: {
      /** @description The records. */
      traffic: components["schemas"]["Traffic"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
      /** @description Nodes that did not answer in time, whose share is missing; absent if there are none. */
      nodes_missing?: components["schemas"]["NodeName"][];
    };
    /** @description Traffic within a period. TLS and TCP connections count as requests. */
    TrafficPoint: {
      /**
       * Format: uint32
       * @description Requests with a response, and connections that were forwarded or refused.
       */
      requests: number;
      /**
       * Format: uint32
       * @description Responses with status 4xx: the visitor's mistake, or not allowed by the configuration.
       */
      refused: number;
      /**
       * Format: uint32
       * @description Responses with status 5xx: something failed.
       */
      failed: number;
    };
    /** @description Time range of a series. */
    TrafficRange: "hour" | "day" | "week" | "quarter";
    /** @description Traffic of an edge, a route or the whole server over a time range. */
    TrafficSeries: {
      /** @description The id of the edge or route; null for all traffic together. */
      id: string | null;
      /** @description Kind; null for all traffic together. */
      kind: components["schemas"]["TrafficKind"] | null;
      /** @description Time range. */
      range: components["schemas"]["TrafficRange"];
      /** @description Length of the intervals. */
      step: components["schemas"]["TrafficStep"];
      /**
       * Format: date-time
       * @description Start of the first interval.
       */
      from: string;
      /**
       * Format: date-time
       * @description End of the last interval, which is not complete.
       */
      until: string;
      /** @description All intervals together; `at` is the start of the first one. */
      total: components["schemas"]["TrafficInterval"];
      /** @description The intervals with traffic, oldest first. */
      intervals: components["schemas"]["TrafficInterval"][];
      /** @description Nodes that did not answer in time, whose share is missing; absent if there are none. */
      nodes_missing?: components["schemas"]["NodeName"][];
    };
    /** @description Length of the intervals of a series. */
    TrafficStep: "minute" | "hour";
    /** @description A tunnel that is online. A tunnel with labels has no address of its own: backends route to it. */
    Tunnel: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /** @description Public URL; empty for a tunnel with labels. */
      public_url: string;
      /**
       * Format: date-time
       * @description Time since which it is online.
       */
      started_at: string;
      /** @description Metadata of the owner; empty if not set. */
      metadata: string;
      /** @description `https`, `http` or `tcp`; empty for a tunnel with labels. */
      proto: string;
      /** @description The region of the server. */
      region: string;
      /** @description The session that carries it. */
      tunnel_session: components["schemas"]["Ref"];
      /** @description The public endpoint; null for a tunnel with labels. */
      endpoint: components["schemas"]["Ref"] | null;
      /** @description Its labels; empty unless it has some. */
      labels: {
        [key: string]: string;
      };
      /** @description The backends that lead to it because of its labels. */
      backends: components["schemas"]["Ref"][];
      /** @description The local address, as the agent describes it. */
      forwards_to: string;
      /** @description The node that the agent is connected to; absent if the server uses its store alone. */
      node?: components["schemas"]["NodeName"] | null;
    };
    /** @description Visitors are spread over the tunnels that carry every one of these labels. */
    TunnelGroupBackend: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description The labels to look for; a tunnel may carry more. */
      labels: {
        [key: string]: string;
      };
      /** @description Tunnels that match now. */
      tunnels: components["schemas"]["Ref"][];
    };
    /** @description Body of a create. At least one label is required. */
    TunnelGroupBackendCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The labels to look for. In a change they replace the whole map. */
      labels?: {
        [key: string]: string | null;
      } | null;
    };
    /** @description A page of records, newest first. */
    TunnelGroupBackendList: {
      /** @description The records. */
      backends: components["schemas"]["TunnelGroupBackend"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Changes of the record. Members that are absent or null stay unchanged. */
    TunnelGroupBackendUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description The labels to look for. In a change they replace the whole map. */
      labels?: {
        [key: string]: string | null;
      } | null;
    };
    /** @description A page of records, newest first. */
    TunnelList: {
      /** @description The records. */
      tunnels: components["schemas"]["Tunnel"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
      /** @description Nodes that did not answer in time, whose share is missing; absent if there are none. */
      nodes_missing?: components["schemas"]["NodeName"][];
    };
    /** @description An agent that is connected. */
    TunnelSession: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /** @description The version of the agent. */
      agent_version: string;
      /** @description Credential of the agent. */
      credential: components["schemas"]["Ref"];
      /** @description The address it connected from. */
      ip: string;
      /** @description Metadata of the owner; empty if not set. */
      metadata: string;
      /** @description The system the agent runs on. */
      os: string;
      /** @description The region of the server. */
      region: string;
      /**
       * Format: date-time
       * @description Time since which it is connected.
       */
      started_at: string;
      /** @description Transport between agent and server. */
      transport: string;
      /** @description The node that the agent is connected to; absent if the server uses its store alone. */
      node?: components["schemas"]["NodeName"] | null;
      /** @description Name of the host that the agent runs on; absent if the agent does not tell it. */
      host_name?: string | null;
      /** @description Account of the operating system that runs the agent; absent if the agent does not tell it. */
      account?: string | null;
      /** @description The agent, which keeps its id from session to session. Older servers do not tell it. */
      agent?: components["schemas"]["Ref"] | null;
    };
    /** @description A page of records, newest first. */
    TunnelSessionList: {
      /** @description The records. */
      tunnel_sessions: components["schemas"]["TunnelSession"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
      /** @description Nodes that did not answer in time, whose share is missing; absent if there are none. */
      nodes_missing?: components["schemas"]["NodeName"][];
    };
    /** @description A person who owns keys and credentials. */
    User: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Name of the user; never empty. */
      name: string;
      /** @description Whether the role is `admin`. */
      admin: boolean;
      /** @description What the user may see and change. */
      role: components["schemas"]["Role"];
      /** @description Address by which the user signs in to the console with an OpenID provider, unique among users; empty if there is none. */
      email: string;
    };
    /** @description Parsed user agent of a browser. Unknown members are empty. */
    UserAgent: {
      /** @description User agent header. */
      raw: string;
      /** @description `Chrome` for example. */
      browser_name: string;
      /** @description `102.0.5005.61` for example. */
      browser_version: string;
      /** @description `pc`, `smartphone` or `crawler` for example. */
      device_type: string;
      /** @description `Mac OSX` for example. */
      os_name: string;
      /** @description `10.15.7` for example. */
      os_version: string;
    };
    /** @description The user agent filter module in responses. */
    UserAgentFilterModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description Regular expressions that allow a visitor regardless of `deny`. */
      allow: string[];
      /** @description Regular expressions that deny a visitor. */
      deny: string[];
    };
    /** @description Patterns for a visitor's `User-Agent`. A visitor who matches one of `allow`, or none of `deny`, is allowed. */
    UserAgentFilterModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /**
       * @description Regular expressions that allow a visitor regardless of `deny`, at most 100.
       * @default []
       */
      allow: string[] | null;
      /**
       * @description Regular expressions that deny a visitor, at most 100.
       * @default []
       */
      deny: string[] | null;
    };
    /** @description Body of a create. The name is required. */
    UserCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description 1 to 255 bytes. */
      name: string;
      /** @description Short for the role `admin` or `editor`. Default: false. */
      admin?: boolean | null;
      /** @description Default: `editor`. */
      role?: components["schemas"]["Role"] | null;
      /** @description Address for signing in to the console with an OpenID provider. Default: none. */
      email?: string | null;
    };
    /** @description A page of records, newest first. */
    UserList: {
      /** @description The records. */
      users: components["schemas"]["User"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Body of a change. */
    UserUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description 1 to 255 bytes. */
      name?: string | null;
      /** @description Short for the role `admin`, or `editor` in its place. */
      admin?: boolean | null;
      /** @description What the user may see and change. */
      role?: components["schemas"]["Role"] | null;
      /** @description Address for signing in to the console with an OpenID provider; empty for none. */
      email?: string | null;
    };
    /** @description Decision of a module or restriction. */
    Verdict: "passed" | "refused" | "warned";
    /** @description The webhook verification module in responses. */
    WebhookVerificationModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
      /** @description The provider as it was written. */
      provider: string;
      /** @description The secret; empty for a provider that has none. */
      secret: string;
    };
    /** @description Sets the provider of webhooks and the secret that verifies its signatures. */
    WebhookVerificationModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
      /**
       * @description Provider, case-insensitive.
       * @enum {string}
       */
      provider:
        | "aftership"
        | "airship"
        | "alchemy"
        | "sns"
        | "autodesk"
        | "bitbucket"
        | "bolt"
        | "box"
        | "brex"
        | "buildkite"
        | "calendly"
        | "castle"
        | "chargify"
        | "circleci"
        | "clearbit"
        | "clerk"
        | "coinbase"
        | "contentful"
        | "docusign"
        | "dropbox"
        | "facebook_graph_api"
        | "facebook_messenger"
        | "frameio"
        | "github"
        | "gitlab"
        | "go1"
        | "graphcms"
        | "heroku"
        | "hostedhooks"
        | "hubspot"
        | "instagram"
        | "intercom"
        | "jira"
        | "launch_darkly"
        | "launchdarkly"
        | "linear"
        | "mailchimp"
        | "mailgun"
        | "microsoft_teams"
        | "modern_treasury"
        | "mongodb"
        | "mux"
        | "orb"
        | "orbit"
        | "pagerduty"
        | "pinwheel"
        | "plivo"
        | "pusher"
        | "sendgrid"
        | "sentry"
        | "shopify"
        | "signal_sciences"
        | "signalsciences"
        | "slack"
        | "sonatype"
        | "sonatype_nexus"
        | "square"
        | "stripe"
        | "svix"
        | "terraform"
        | "tiktok"
        | "trendmicro_conformity"
        | "twilio"
        | "twitter"
        | "typeform"
        | "vmware"
        | "vmware_workspace"
        | "webex"
        | "whatsapp"
        | "worldline"
        | "xero"
        | "zendesk"
        | "zoom";
      /** @description The secret shared with the provider. Every provider needs one but `sns`, which must have none. */
      secret?: string | null;
    };
    /** @description A module without settings, in responses. */
    WebsocketTcpConverterModule: {
      /** @description Whether the module is enabled. */
      enabled: boolean;
    };
    /** @description Turns WebSocket connections into TCP streams. */
    WebsocketTcpConverterModulePut: {
      /**
       * @description Whether the module is enabled.
       * @default true
       */
      enabled: boolean | null;
    };
    /** @description Routes each visitor to one of these backends, in proportion to their weights. */
    WeightedBackend: {
      /** @description Its id. */
      id: string;
      /** @description Absolute URL. */
      uri: string;
      /**
       * Format: date-time
       * @description Creation time.
       */
      created_at: string;
      /** @description Description shown in lists; empty if never set. */
      description: string;
      /** @description Free-form metadata for your own programs; empty if never set. */
      metadata: string;
      /** @description Weight of each backend, 0 to 10000; a backend of weight 0 gets no visitors. */
      backends: {
        [key: string]: number;
      };
    };
    /** @description Body of a create. */
    WeightedBackendCreate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Ids of tunnel groups, HTTP responses and static backends with their weights. In a change they replace the whole map. */
      backends?: {
        [key: string]: number | null;
      } | null;
    };
    /** @description A page of records, newest first. */
    WeightedBackendList: {
      /** @description The records. */
      backends: components["schemas"]["WeightedBackend"][];
      /** @description The URI of the list. */
      uri: string;
      /** @description The URI of the next page; null after the last. */
      next_page_uri: string | null;
    };
    /** @description Changes of the record. Members that are absent or null stay unchanged. */
    WeightedBackendUpdate: {
      /** @description Description shown in lists; at most 255 bytes. */
      description?: string | null;
      /** @description Free-form metadata for your own programs; at most 4096 bytes. */
      metadata?: string | null;
      /** @description Ids of tunnel groups, HTTP responses and static backends with their weights. In a change they replace the whole map. */
      backends?: {
        [key: string]: number | null;
      } | null;
    };
  };
  responses: {
    /** @description The request is invalid; `error_code` says why. */
    BadRequest: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The API key is missing or unknown. */
    Unauthorized: {
      headers: {
        "postern-operation-id": components["headers"]["OperationId"];
        /** @description The authentication scheme to use. */
        "WWW-Authenticate"?: string;
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The caller may not do this, or not from this address. */
    Forbidden: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description There is no such resource, or the module is not set. */
    NotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Another caller changed the same record at the same time. */
    Conflict: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The body is too large. */
    TooLarge: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The server failed internally. */
    Internal: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The server cannot do this at the moment. */
    Unavailable: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
  };
  parameters: {
    /** @description The version of the API that the caller uses. */
    ServiceVersion: "2";
    /** @description The largest number of records on a page. */
    Limit: number;
    /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
    Search: string;
  };
  requestBodies: never;
  headers: {
    /** @description The id of the call in the server's log. */
    OperationId: string;
    /** @description The cookie of a console session. It is valid in requests of the console itself only. */
    SessionCookie: string;
    /** @description What the stored module cannot do on this server as it is configured, and what is needed. */
    Warning: string;
  };
  pathItems: never;
}
export type Action = components["schemas"]["Action"];
export type ActorType = components["schemas"]["ActorType"];
export type Agent = components["schemas"]["Agent"];
export type AgentChange = components["schemas"]["AgentChange"];
export type AgentList = components["schemas"]["AgentList"];
export type AgentState = components["schemas"]["AgentState"];
export type AlertMeasure = components["schemas"]["AlertMeasure"];
export type AlertPeriod = components["schemas"]["AlertPeriod"];
export type AlertRule = components["schemas"]["AlertRule"];
export type AlertRuleCreate = components["schemas"]["AlertRuleCreate"];
export type AlertRuleList = components["schemas"]["AlertRuleList"];
export type AlertRuleUpdate = components["schemas"]["AlertRuleUpdate"];
export type AlertState = components["schemas"]["AlertState"];
export type ApiKey = components["schemas"]["ApiKey"];
export type ApiKeyCreate = components["schemas"]["ApiKeyCreate"];
export type ApiKeyList = components["schemas"]["ApiKeyList"];
export type ApiKeyUpdate = components["schemas"]["ApiKeyUpdate"];
export type AppSession = components["schemas"]["AppSession"];
export type AppSessionList = components["schemas"]["AppSessionList"];
export type AppUser = components["schemas"]["AppUser"];
export type AppUserList = components["schemas"]["AppUserList"];
export type AppUserProvider = components["schemas"]["AppUserProvider"];
export type AuditEvent = components["schemas"]["AuditEvent"];
export type AuditEventList = components["schemas"]["AuditEventList"];
export type AuditOperation = components["schemas"]["AuditOperation"];
export type BackendModule = components["schemas"]["BackendModule"];
export type BackendModulePut = components["schemas"]["BackendModulePut"];
export type BackendTls = components["schemas"]["BackendTls"];
export type BackendTlsInput = components["schemas"]["BackendTlsInput"];
export type BasicAuthModule = components["schemas"]["BasicAuthModule"];
export type BasicAuthModulePut = components["schemas"]["BasicAuthModulePut"];
export type BasicAuthUser = components["schemas"]["BasicAuthUser"];
export type BasicAuthUserView = components["schemas"]["BasicAuthUserView"];
export type BotUser = components["schemas"]["BotUser"];
export type BotUserCreate = components["schemas"]["BotUserCreate"];
export type BotUserList = components["schemas"]["BotUserList"];
export type BotUserUpdate = components["schemas"]["BotUserUpdate"];
export type BrowserSession = components["schemas"]["BrowserSession"];
export type CertificateAuthority = components["schemas"]["CertificateAuthority"];
export type CertificateAuthorityCreate = components["schemas"]["CertificateAuthorityCreate"];
export type CertificateAuthorityList = components["schemas"]["CertificateAuthorityList"];
export type CertificateAuthorityUpdate = components["schemas"]["CertificateAuthorityUpdate"];
export type CertificateManagementPolicy = components["schemas"]["CertificateManagementPolicy"];
export type CertificateManagementPolicyInput = components["schemas"]["CertificateManagementPolicyInput"];
export type CertificateManagementStatus = components["schemas"]["CertificateManagementStatus"];
export type CircuitBreakerModule = components["schemas"]["CircuitBreakerModule"];
export type CircuitBreakerModulePut = components["schemas"]["CircuitBreakerModulePut"];
export type CompressionModule = components["schemas"]["CompressionModule"];
export type CompressionModulePut = components["schemas"]["CompressionModulePut"];
export type Configured = components["schemas"]["Configured"];
export type ConsoleSession = components["schemas"]["ConsoleSession"];
export type Credential = components["schemas"]["Credential"];
export type CredentialCreate = components["schemas"]["CredentialCreate"];
export type CredentialList = components["schemas"]["CredentialList"];
export type CredentialUpdate = components["schemas"]["CredentialUpdate"];
export type Decision = components["schemas"]["Decision"];
export type Dependent = components["schemas"]["Dependent"];
export type DependentList = components["schemas"]["DependentList"];
export type DomainRecord = components["schemas"]["DomainRecord"];
export type DomainRecordList = components["schemas"]["DomainRecordList"];
export type DomainRecordPurpose = components["schemas"]["DomainRecordPurpose"];
export type DomainRecordType = components["schemas"]["DomainRecordType"];
export type Endpoint = components["schemas"]["Endpoint"];
export type EndpointList = components["schemas"]["EndpointList"];
export type EndpointType = components["schemas"]["EndpointType"];
export type Error = components["schemas"]["Error"];
export type ErrorPagesModule = components["schemas"]["ErrorPagesModule"];
export type ErrorPagesModulePut = components["schemas"]["ErrorPagesModulePut"];
export type EventDelivery = components["schemas"]["EventDelivery"];
export type EventDestination = components["schemas"]["EventDestination"];
export type EventDestinationCreate = components["schemas"]["EventDestinationCreate"];
export type EventDestinationList = components["schemas"]["EventDestinationList"];
export type EventDestinationUpdate = components["schemas"]["EventDestinationUpdate"];
export type ExpiringCertificate = components["schemas"]["ExpiringCertificate"];
export type FailoverBackend = components["schemas"]["FailoverBackend"];
export type FailoverBackendCreate = components["schemas"]["FailoverBackendCreate"];
export type FailoverBackendList = components["schemas"]["FailoverBackendList"];
export type FailoverBackendUpdate = components["schemas"]["FailoverBackendUpdate"];
export type GithubLogin = components["schemas"]["GithubLogin"];
export type GithubLoginView = components["schemas"]["GithubLoginView"];
export type HeaderChanges = components["schemas"]["HeaderChanges"];
export type HttpResponseBackend = components["schemas"]["HttpResponseBackend"];
export type HttpResponseBackendCreate = components["schemas"]["HttpResponseBackendCreate"];
export type HttpResponseBackendList = components["schemas"]["HttpResponseBackendList"];
export type HttpResponseBackendUpdate = components["schemas"]["HttpResponseBackendUpdate"];
export type HttpsEdge = components["schemas"]["HttpsEdge"];
export type HttpsEdgeCreate = components["schemas"]["HttpsEdgeCreate"];
export type HttpsEdgeList = components["schemas"]["HttpsEdgeList"];
export type HttpsEdgeUpdate = components["schemas"]["HttpsEdgeUpdate"];
export type HttpsRoute = components["schemas"]["HttpsRoute"];
export type HttpsRouteCreate = components["schemas"]["HttpsRouteCreate"];
export type HttpsRouteUpdate = components["schemas"]["HttpsRouteUpdate"];
export type HttpsTerminationModule = components["schemas"]["HttpsTerminationModule"];
export type HttpsTerminationModulePut = components["schemas"]["HttpsTerminationModulePut"];
export type IdentityProvider = components["schemas"]["IdentityProvider"];
export type IpPolicy = components["schemas"]["IpPolicy"];
export type IpPolicyCreate = components["schemas"]["IpPolicyCreate"];
export type IpPolicyList = components["schemas"]["IpPolicyList"];
export type IpPolicyRule = components["schemas"]["IpPolicyRule"];
export type IpPolicyRuleCreate = components["schemas"]["IpPolicyRuleCreate"];
export type IpPolicyRuleList = components["schemas"]["IpPolicyRuleList"];
export type IpPolicyRuleUpdate = components["schemas"]["IpPolicyRuleUpdate"];
export type IpPolicyUpdate = components["schemas"]["IpPolicyUpdate"];
export type IpRestriction = components["schemas"]["IpRestriction"];
export type IpRestrictionCreate = components["schemas"]["IpRestrictionCreate"];
export type IpRestrictionList = components["schemas"]["IpRestrictionList"];
export type IpRestrictionModule = components["schemas"]["IpRestrictionModule"];
export type IpRestrictionModulePut = components["schemas"]["IpRestrictionModulePut"];
export type IpRestrictionUpdate = components["schemas"]["IpRestrictionUpdate"];
export type KeyType = components["schemas"]["KeyType"];
export type MaintenanceModule = components["schemas"]["MaintenanceModule"];
export type MaintenanceModulePut = components["schemas"]["MaintenanceModulePut"];
export type ManagedKeyType = components["schemas"]["ManagedKeyType"];
export type ManagingAuthority = components["schemas"]["ManagingAuthority"];
export type MatchType = components["schemas"]["MatchType"];
export type MutualTlsModule = components["schemas"]["MutualTlsModule"];
export type MutualTlsModulePut = components["schemas"]["MutualTlsModulePut"];
export type Node = components["schemas"]["Node"];
export type NodeLink = components["schemas"]["NodeLink"];
export type NodeList = components["schemas"]["NodeList"];
export type NodeName = components["schemas"]["NodeName"];
export type NodeState = components["schemas"]["NodeState"];
export type OAuthLogin = components["schemas"]["OAuthLogin"];
export type OAuthLoginView = components["schemas"]["OAuthLoginView"];
export type OAuthModule = components["schemas"]["OAuthModule"];
export type OAuthModulePut = components["schemas"]["OAuthModulePut"];
export type OAuthProvider = components["schemas"]["OAuthProvider"];
export type OAuthProviderView = components["schemas"]["OAuthProviderView"];
export type OidcModule = components["schemas"]["OidcModule"];
export type OidcModulePut = components["schemas"]["OidcModulePut"];
export type OnDelete = components["schemas"]["OnDelete"];
export type ProvisioningJob = components["schemas"]["ProvisioningJob"];
export type PutBack = components["schemas"]["PutBack"];
export type PutBackCall = components["schemas"]["PutBackCall"];
export type RateLimitModule = components["schemas"]["RateLimitModule"];
export type RateLimitModulePut = components["schemas"]["RateLimitModulePut"];
export type RecentRequest = components["schemas"]["RecentRequest"];
export type RecentRequestList = components["schemas"]["RecentRequestList"];
export type RedirectModule = components["schemas"]["RedirectModule"];
export type RedirectModulePut = components["schemas"]["RedirectModulePut"];
export type RedirectRule = components["schemas"]["RedirectRule"];
export type RedirectRuleInput = components["schemas"]["RedirectRuleInput"];
export type Ref = components["schemas"]["Ref"];
export type RefusedVisit = components["schemas"]["RefusedVisit"];
export type RefusedVisitList = components["schemas"]["RefusedVisitList"];
export type Region = components["schemas"]["Region"];
export type RequestHeadersModule = components["schemas"]["RequestHeadersModule"];
export type RequestHeadersModulePut = components["schemas"]["RequestHeadersModulePut"];
export type ReservedAddress = components["schemas"]["ReservedAddress"];
export type ReservedAddressCreate = components["schemas"]["ReservedAddressCreate"];
export type ReservedAddressList = components["schemas"]["ReservedAddressList"];
export type ReservedAddressUpdate = components["schemas"]["ReservedAddressUpdate"];
export type ReservedDomain = components["schemas"]["ReservedDomain"];
export type ReservedDomainCreate = components["schemas"]["ReservedDomainCreate"];
export type ReservedDomainList = components["schemas"]["ReservedDomainList"];
export type ReservedDomainUpdate = components["schemas"]["ReservedDomainUpdate"];
export type ResolvesTo = components["schemas"]["ResolvesTo"];
export type ResolvesToInput = components["schemas"]["ResolvesToInput"];
export type ResponseHeadersModule = components["schemas"]["ResponseHeadersModule"];
export type ResponseHeadersModulePut = components["schemas"]["ResponseHeadersModulePut"];
export type RestrictionType = components["schemas"]["RestrictionType"];
export type RewriteModule = components["schemas"]["RewriteModule"];
export type RewriteModulePut = components["schemas"]["RewriteModulePut"];
export type Role = components["schemas"]["Role"];
export type SamlModule = components["schemas"]["SamlModule"];
export type SamlModulePut = components["schemas"]["SamlModulePut"];
export type ServerFacts = components["schemas"]["ServerFacts"];
export type ServerStatus = components["schemas"]["ServerStatus"];
export type SessionCommand = components["schemas"]["SessionCommand"];
export type SshCertificateAuthority = components["schemas"]["SshCertificateAuthority"];
export type SshCertificateAuthorityCreate = components["schemas"]["SshCertificateAuthorityCreate"];
export type SshCertificateAuthorityList = components["schemas"]["SshCertificateAuthorityList"];
export type SshCertificateAuthorityUpdate = components["schemas"]["SshCertificateAuthorityUpdate"];
export type SshHostCertificate = components["schemas"]["SshHostCertificate"];
export type SshHostCertificateCreate = components["schemas"]["SshHostCertificateCreate"];
export type SshHostCertificateList = components["schemas"]["SshHostCertificateList"];
export type SshHostCertificateUpdate = components["schemas"]["SshHostCertificateUpdate"];
export type SshUserCertificate = components["schemas"]["SshUserCertificate"];
export type SshUserCertificateCreate = components["schemas"]["SshUserCertificateCreate"];
export type SshUserCertificateList = components["schemas"]["SshUserCertificateList"];
export type SshUserCertificateUpdate = components["schemas"]["SshUserCertificateUpdate"];
export type StaticBackend = components["schemas"]["StaticBackend"];
export type StaticBackendCreate = components["schemas"]["StaticBackendCreate"];
export type StaticBackendList = components["schemas"]["StaticBackendList"];
export type StaticBackendUpdate = components["schemas"]["StaticBackendUpdate"];
export type StoreStatus = components["schemas"]["StoreStatus"];
export type SubjectAlternativeNames = components["schemas"]["SubjectAlternativeNames"];
export type TcpEdge = components["schemas"]["TcpEdge"];
export type TcpEdgeCreate = components["schemas"]["TcpEdgeCreate"];
export type TcpEdgeList = components["schemas"]["TcpEdgeList"];
export type TcpEdgeUpdate = components["schemas"]["TcpEdgeUpdate"];
export type TerminateAt = components["schemas"]["TerminateAt"];
export type TlsCertificate = components["schemas"]["TlsCertificate"];
export type TlsCertificateCreate = components["schemas"]["TlsCertificateCreate"];
export type TlsCertificateList = components["schemas"]["TlsCertificateList"];
export type TlsCertificateUpdate = components["schemas"]["TlsCertificateUpdate"];
export type TlsEdge = components["schemas"]["TlsEdge"];
export type TlsEdgeCreate = components["schemas"]["TlsEdgeCreate"];
export type TlsEdgeList = components["schemas"]["TlsEdgeList"];
export type TlsEdgeUpdate = components["schemas"]["TlsEdgeUpdate"];
export type TlsTerminationModule = components["schemas"]["TlsTerminationModule"];
export type TlsTerminationModulePut = components["schemas"]["TlsTerminationModulePut"];
export type TlsVersion = components["schemas"]["TlsVersion"];
export type Traffic = components["schemas"]["Traffic"];
export type TrafficCounts = components["schemas"]["TrafficCounts"];
export type TrafficFaults = components["schemas"]["TrafficFaults"];
export type TrafficHistory = components["schemas"]["TrafficHistory"];
export type TrafficInterval = components["schemas"]["TrafficInterval"];
export type TrafficKind = components["schemas"]["TrafficKind"];
export type TrafficLatency = components["schemas"]["TrafficLatency"];
export type TrafficList = components["schemas"]["TrafficList"];
export type TrafficPoint = components["schemas"]["TrafficPoint"];
export type TrafficRange = components["schemas"]["TrafficRange"];
export type TrafficSeries = components["schemas"]["TrafficSeries"];
export type TrafficStep = components["schemas"]["TrafficStep"];
export type Tunnel = components["schemas"]["Tunnel"];
export type TunnelGroupBackend = components["schemas"]["TunnelGroupBackend"];
export type TunnelGroupBackendCreate = components["schemas"]["TunnelGroupBackendCreate"];
export type TunnelGroupBackendList = components["schemas"]["TunnelGroupBackendList"];
export type TunnelGroupBackendUpdate = components["schemas"]["TunnelGroupBackendUpdate"];
export type TunnelList = components["schemas"]["TunnelList"];
export type TunnelSession = components["schemas"]["TunnelSession"];
export type TunnelSessionList = components["schemas"]["TunnelSessionList"];
export type User = components["schemas"]["User"];
export type UserAgent = components["schemas"]["UserAgent"];
export type UserAgentFilterModule = components["schemas"]["UserAgentFilterModule"];
export type UserAgentFilterModulePut = components["schemas"]["UserAgentFilterModulePut"];
export type UserCreate = components["schemas"]["UserCreate"];
export type UserList = components["schemas"]["UserList"];
export type UserUpdate = components["schemas"]["UserUpdate"];
export type Verdict = components["schemas"]["Verdict"];
export type WebhookVerificationModule = components["schemas"]["WebhookVerificationModule"];
export type WebhookVerificationModulePut = components["schemas"]["WebhookVerificationModulePut"];
export type WebsocketTcpConverterModule = components["schemas"]["WebsocketTcpConverterModule"];
export type WebsocketTcpConverterModulePut = components["schemas"]["WebsocketTcpConverterModulePut"];
export type WeightedBackend = components["schemas"]["WeightedBackend"];
export type WeightedBackendCreate = components["schemas"]["WeightedBackendCreate"];
export type WeightedBackendList = components["schemas"]["WeightedBackendList"];
export type WeightedBackendUpdate = components["schemas"]["WeightedBackendUpdate"];
export type ResponseBadRequest = components["responses"]["BadRequest"];
export type ResponseUnauthorized = components["responses"]["Unauthorized"];
export type ResponseForbidden = components["responses"]["Forbidden"];
export type ResponseNotFound = components["responses"]["NotFound"];
export type ResponseConflict = components["responses"]["Conflict"];
export type ResponseTooLarge = components["responses"]["TooLarge"];
export type ResponseInternal = components["responses"]["Internal"];
export type ResponseUnavailable = components["responses"]["Unavailable"];
export type ParameterServiceVersion = components["parameters"]["ServiceVersion"];
export type ParameterLimit = components["parameters"]["Limit"];
export type ParameterSearch = components["parameters"]["Search"];
export type HeaderOperationId = components["headers"]["OperationId"];
export type HeaderSessionCookie = components["headers"]["SessionCookie"];
export type HeaderWarning = components["headers"]["Warning"];
export type $defs = Record<string, never>;
export interface operations {
  list_agents: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AgentList"];
        };
      };
    };
  };
  get_agent: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  delete_agent: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_alert_rules: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AlertRuleList"];
        };
      };
    };
  };
  create_alert_rule: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["AlertRuleCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AlertRule"];
        };
      };
    };
  };
  get_alert_rule: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AlertRule"];
        };
      };
    };
  };
  delete_alert_rule: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_alert_rule: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AlertRuleUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AlertRule"];
        };
      };
    };
  };
  list_api_keys: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ApiKeyList"];
        };
      };
    };
  };
  create_api_key: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApiKeyCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ApiKey"];
        };
      };
    };
  };
  get_api_key: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ApiKey"];
        };
      };
    };
  };
  delete_api_key: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_api_key: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApiKeyUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ApiKey"];
        };
      };
    };
  };
  list_app_sessions: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AppSessionList"];
        };
      };
    };
  };
  get_app_session: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AppSession"];
        };
      };
    };
  };
  delete_app_session: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_app_users: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AppUserList"];
        };
      };
    };
  };
  get_app_user: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AppUser"];
        };
      };
    };
  };
  delete_app_user: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_audit_events: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only changes by this user, bot user, visitor or API key. Empty is the same as absent. */
        actor_id?: string;
        /** @description Only changes of this record. Empty is the same as absent. */
        object_id?: string;
        /** @description Only changes of records of this kind, `ip_policy` for example. Empty is the same as absent. */
        kind?: string;
        /** @description Only this operation. Empty is the same as absent. */
        operation?: "created" | "updated" | "deleted" | "observed" | "";
        /** @description Only changes at or after this time. Empty is the same as absent. */
        since?: string | "";
        /** @description Only changes before this time. Empty is the same as absent. */
        until?: string | "";
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AuditEventList"];
        };
      };
    };
  };
  get_audit_event: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AuditEvent"];
        };
      };
    };
  };
  list_failover_backends: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FailoverBackendList"];
        };
      };
    };
  };
  create_failover_backend: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["FailoverBackendCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FailoverBackend"];
        };
      };
    };
  };
  get_failover_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FailoverBackend"];
        };
      };
    };
  };
  delete_failover_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_failover_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["FailoverBackendUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["FailoverBackend"];
        };
      };
    };
  };
  list_failover_backend_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
  list_http_response_backends: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpResponseBackendList"];
        };
      };
    };
  };
  create_http_response_backend: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["HttpResponseBackendCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpResponseBackend"];
        };
      };
    };
  };
  get_http_response_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpResponseBackend"];
        };
      };
    };
  };
  delete_http_response_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_http_response_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["HttpResponseBackendUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpResponseBackend"];
        };
      };
    };
  };
  list_http_response_backend_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
  list_static_backends: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StaticBackendList"];
        };
      };
    };
  };
  create_static_backend: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["StaticBackendCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StaticBackend"];
        };
      };
    };
  };
  get_static_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StaticBackend"];
        };
      };
    };
  };
  delete_static_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_static_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["StaticBackendUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StaticBackend"];
        };
      };
    };
  };
  list_static_backend_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
  list_tunnel_group_backends: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TunnelGroupBackendList"];
        };
      };
    };
  };
  create_tunnel_group_backend: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["TunnelGroupBackendCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TunnelGroupBackend"];
        };
      };
    };
  };
  get_tunnel_group_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TunnelGroupBackend"];
        };
      };
    };
  };
  delete_tunnel_group_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_tunnel_group_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TunnelGroupBackendUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TunnelGroupBackend"];
        };
      };
    };
  };
  list_tunnel_group_backend_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
  list_weighted_backends: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WeightedBackendList"];
        };
      };
    };
  };
  create_weighted_backend: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["WeightedBackendCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WeightedBackend"];
        };
      };
    };
  };
  get_weighted_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WeightedBackend"];
        };
      };
    };
  };
  delete_weighted_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_weighted_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WeightedBackendUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WeightedBackend"];
        };
      };
    };
  };
  list_weighted_backend_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
  list_bot_users: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BotUserList"];
        };
      };
    };
  };
  create_bot_user: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["BotUserCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BotUser"];
        };
      };
    };
  };
  get_bot_user: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BotUser"];
        };
      };
    };
  };
  delete_bot_user: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_bot_user: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BotUserUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BotUser"];
        };
      };
    };
  };
  list_bot_user_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
  list_certificate_authorities: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CertificateAuthorityList"];
        };
      };
    };
  };
  create_certificate_authority: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["CertificateAuthorityCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CertificateAuthority"];
        };
      };
    };
  };
  get_certificate_authority: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CertificateAuthority"];
        };
      };
    };
  };
  delete_certificate_authority: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_certificate_authority: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CertificateAuthorityUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CertificateAuthority"];
        };
      };
    };
  };
  list_certificate_authority_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
  create_console_session: {
    parameters: {};
    responses: {
      /** @description The session. Its token is in the cookie only. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConsoleSession"];
        };
      };
    };
  };
  delete_console_sessions: {
    parameters: {};
    responses: {
      /** @description All sessions of the user have ended. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_console_session: {
    parameters: {};
    responses: {
      /** @description The session. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConsoleSession"];
        };
      };
    };
  };
  delete_console_session: {
    parameters: {};
    responses: {
      /** @description The session has ended. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_credentials: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CredentialList"];
        };
      };
    };
  };
  create_credential: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["CredentialCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Credential"];
        };
      };
    };
  };
  get_credential: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Credential"];
        };
      };
    };
  };
  delete_credential: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_credential: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CredentialUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Credential"];
        };
      };
    };
  };
  list_https_edges: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpsEdgeList"];
        };
      };
    };
  };
  create_https_edge: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["HttpsEdgeCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpsEdge"];
        };
      };
    };
  };
  create_https_route: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["HttpsRouteCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpsRoute"];
        };
      };
    };
  };
  get_https_route: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpsRoute"];
        };
      };
    };
  };
  delete_https_route: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_https_route: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["HttpsRouteUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpsRoute"];
        };
      };
    };
  };
  get_https_route_backend: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BackendModule"];
        };
      };
    };
  };
  put_https_route_backend: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BackendModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BackendModule"];
        };
      };
    };
  };
  delete_https_route_backend: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_basic_auth: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BasicAuthModule"];
        };
      };
    };
  };
  put_https_route_basic_auth: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BasicAuthModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BasicAuthModule"];
        };
      };
    };
  };
  delete_https_route_basic_auth: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_circuit_breaker: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CircuitBreakerModule"];
        };
      };
    };
  };
  put_https_route_circuit_breaker: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CircuitBreakerModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CircuitBreakerModule"];
        };
      };
    };
  };
  delete_https_route_circuit_breaker: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_compression: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CompressionModule"];
        };
      };
    };
  };
  put_https_route_compression: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CompressionModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CompressionModule"];
        };
      };
    };
  };
  delete_https_route_compression: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_error_pages: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorPagesModule"];
        };
      };
    };
  };
  put_https_route_error_pages: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ErrorPagesModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorPagesModule"];
        };
      };
    };
  };
  delete_https_route_error_pages: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_ip_restriction: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpRestrictionModule"];
        };
      };
    };
  };
  put_https_route_ip_restriction: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["IpRestrictionModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpRestrictionModule"];
        };
      };
    };
  };
  delete_https_route_ip_restriction: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_maintenance: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MaintenanceModule"];
        };
      };
    };
  };
  put_https_route_maintenance: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MaintenanceModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MaintenanceModule"];
        };
      };
    };
  };
  delete_https_route_maintenance: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_oauth: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OAuthModule"];
        };
      };
    };
  };
  put_https_route_oauth: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["OAuthModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OAuthModule"];
        };
      };
    };
  };
  delete_https_route_oauth: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_oidc: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OidcModule"];
        };
      };
    };
  };
  put_https_route_oidc: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["OidcModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OidcModule"];
        };
      };
    };
  };
  delete_https_route_oidc: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_rate_limit: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RateLimitModule"];
        };
      };
    };
  };
  put_https_route_rate_limit: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RateLimitModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RateLimitModule"];
        };
      };
    };
  };
  delete_https_route_rate_limit: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_redirect: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RedirectModule"];
        };
      };
    };
  };
  put_https_route_redirect: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RedirectModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RedirectModule"];
        };
      };
    };
  };
  delete_https_route_redirect: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_request_headers: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RequestHeadersModule"];
        };
      };
    };
  };
  put_https_route_request_headers: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RequestHeadersModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RequestHeadersModule"];
        };
      };
    };
  };
  delete_https_route_request_headers: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_https_route_requests: {
    parameters: {
      query?: {
        /** @description The largest number of requests. */
        limit?: number;
        /** @description Only requests whose status is of this class. Empty is the same as absent. */
        status?: "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | "";
        /** @description Only requests that were refused with this code. Empty is the same as absent. */
        error_code?: string;
        /** @description Only requests whose id, method, host, path or visitor's address contains this text, in any case. Empty is the same as absent. */
        search?: string;
      };
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecentRequestList"];
        };
      };
    };
  };
  get_https_route_response_headers: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ResponseHeadersModule"];
        };
      };
    };
  };
  put_https_route_response_headers: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ResponseHeadersModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ResponseHeadersModule"];
        };
      };
    };
  };
  delete_https_route_response_headers: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_rewrite: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RewriteModule"];
        };
      };
    };
  };
  put_https_route_rewrite: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RewriteModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RewriteModule"];
        };
      };
    };
  };
  delete_https_route_rewrite: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_saml: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SamlModule"];
        };
      };
    };
  };
  put_https_route_saml: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SamlModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SamlModule"];
        };
      };
    };
  };
  delete_https_route_saml: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_user_agent_filter: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UserAgentFilterModule"];
        };
      };
    };
  };
  put_https_route_user_agent_filter: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UserAgentFilterModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UserAgentFilterModule"];
        };
      };
    };
  };
  delete_https_route_user_agent_filter: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_webhook_verification: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WebhookVerificationModule"];
        };
      };
    };
  };
  put_https_route_webhook_verification: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WebhookVerificationModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WebhookVerificationModule"];
        };
      };
    };
  };
  delete_https_route_webhook_verification: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_route_websocket_tcp_converter: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WebsocketTcpConverterModule"];
        };
      };
    };
  };
  put_https_route_websocket_tcp_converter: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WebsocketTcpConverterModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WebsocketTcpConverterModule"];
        };
      };
    };
  };
  delete_https_route_websocket_tcp_converter: {
    parameters: {
      path: {
        /** @description The id of the parent. */
        edge_id: string;
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_https_edge: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpsEdge"];
        };
      };
    };
  };
  delete_https_edge: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_https_edge: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["HttpsEdgeUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpsEdge"];
        };
      };
    };
  };
  list_https_edge_decisions: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RefusedVisitList"];
        };
      };
    };
  };
  get_https_edge_mutual_tls: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MutualTlsModule"];
        };
      };
    };
  };
  put_https_edge_mutual_tls: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MutualTlsModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MutualTlsModule"];
        };
      };
    };
  };
  delete_https_edge_mutual_tls: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_https_edge_requests: {
    parameters: {
      query?: {
        /** @description The largest number of requests. */
        limit?: number;
        /** @description Only requests whose status is of this class. Empty is the same as absent. */
        status?: "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | "";
        /** @description Only requests that were refused with this code. Empty is the same as absent. */
        error_code?: string;
        /** @description Only requests whose id, method, host, path or visitor's address contains this text, in any case. Empty is the same as absent. */
        search?: string;
      };
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecentRequestList"];
        };
      };
    };
  };
  get_https_edge_tls_termination: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpsTerminationModule"];
        };
      };
    };
  };
  put_https_edge_tls_termination: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["HttpsTerminationModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["HttpsTerminationModule"];
        };
      };
    };
  };
  delete_https_edge_tls_termination: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_tcp_edges: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TcpEdgeList"];
        };
      };
    };
  };
  create_tcp_edge: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["TcpEdgeCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TcpEdge"];
        };
      };
    };
  };
  get_tcp_edge: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TcpEdge"];
        };
      };
    };
  };
  delete_tcp_edge: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_tcp_edge: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TcpEdgeUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TcpEdge"];
        };
      };
    };
  };
  get_tcp_edge_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BackendModule"];
        };
      };
    };
  };
  put_tcp_edge_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BackendModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BackendModule"];
        };
      };
    };
  };
  delete_tcp_edge_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_tcp_edge_decisions: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RefusedVisitList"];
        };
      };
    };
  };
  get_tcp_edge_ip_restriction: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpRestrictionModule"];
        };
      };
    };
  };
  put_tcp_edge_ip_restriction: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["IpRestrictionModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpRestrictionModule"];
        };
      };
    };
  };
  delete_tcp_edge_ip_restriction: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_tcp_edge_rate_limit: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RateLimitModule"];
        };
      };
    };
  };
  put_tcp_edge_rate_limit: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RateLimitModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RateLimitModule"];
        };
      };
    };
  };
  delete_tcp_edge_rate_limit: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_tls_edges: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TlsEdgeList"];
        };
      };
    };
  };
  create_tls_edge: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["TlsEdgeCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TlsEdge"];
        };
      };
    };
  };
  get_tls_edge: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TlsEdge"];
        };
      };
    };
  };
  delete_tls_edge: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_tls_edge: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TlsEdgeUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TlsEdge"];
        };
      };
    };
  };
  get_tls_edge_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BackendModule"];
        };
      };
    };
  };
  put_tls_edge_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BackendModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["BackendModule"];
        };
      };
    };
  };
  delete_tls_edge_backend: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_tls_edge_decisions: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RefusedVisitList"];
        };
      };
    };
  };
  get_tls_edge_ip_restriction: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpRestrictionModule"];
        };
      };
    };
  };
  put_tls_edge_ip_restriction: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["IpRestrictionModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpRestrictionModule"];
        };
      };
    };
  };
  delete_tls_edge_ip_restriction: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_tls_edge_mutual_tls: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MutualTlsModule"];
        };
      };
    };
  };
  put_tls_edge_mutual_tls: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MutualTlsModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MutualTlsModule"];
        };
      };
    };
  };
  delete_tls_edge_mutual_tls: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_tls_edge_rate_limit: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RateLimitModule"];
        };
      };
    };
  };
  put_tls_edge_rate_limit: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RateLimitModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RateLimitModule"];
        };
      };
    };
  };
  delete_tls_edge_rate_limit: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  get_tls_edge_tls_termination: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TlsTerminationModule"];
        };
      };
    };
  };
  put_tls_edge_tls_termination: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TlsTerminationModulePut"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TlsTerminationModule"];
        };
      };
    };
  };
  delete_tls_edge_tls_termination: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_endpoints: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EndpointList"];
        };
      };
    };
  };
  get_endpoint: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Endpoint"];
        };
      };
    };
  };
  list_event_destinations: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EventDestinationList"];
        };
      };
    };
  };
  create_event_destination: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["EventDestinationCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EventDestination"];
        };
      };
    };
  };
  get_event_destination: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EventDestination"];
        };
      };
    };
  };
  delete_event_destination: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_event_destination: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["EventDestinationUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EventDestination"];
        };
      };
    };
  };
  list_ip_policies: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpPolicyList"];
        };
      };
    };
  };
  create_ip_policy: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["IpPolicyCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpPolicy"];
        };
      };
    };
  };
  get_ip_policy: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpPolicy"];
        };
      };
    };
  };
  delete_ip_policy: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_ip_policy: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["IpPolicyUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpPolicy"];
        };
      };
    };
  };
  list_ip_policy_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
  list_ip_policy_rules: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpPolicyRuleList"];
        };
      };
    };
  };
  create_ip_policy_rule: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["IpPolicyRuleCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpPolicyRule"];
        };
      };
    };
  };
  get_ip_policy_rule: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpPolicyRule"];
        };
      };
    };
  };
  delete_ip_policy_rule: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_ip_policy_rule: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["IpPolicyRuleUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpPolicyRule"];
        };
      };
    };
  };
  list_ip_restrictions: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpRestrictionList"];
        };
      };
    };
  };
  create_ip_restriction: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["IpRestrictionCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpRestriction"];
        };
      };
    };
  };
  get_ip_restriction: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpRestriction"];
        };
      };
    };
  };
  delete_ip_restriction: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_ip_restriction: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["IpRestrictionUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IpRestriction"];
        };
      };
    };
  };
  list_nodes: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NodeList"];
        };
      };
    };
  };
  get_node: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Node"];
        };
      };
    };
  };
  list_reserved_addresses: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservedAddressList"];
        };
      };
    };
  };
  create_reserved_address: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReservedAddressCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservedAddress"];
        };
      };
    };
  };
  get_reserved_address: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservedAddress"];
        };
      };
    };
  };
  delete_reserved_address: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_reserved_address: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReservedAddressUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservedAddress"];
        };
      };
    };
  };
  list_reserved_domains: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservedDomainList"];
        };
      };
    };
  };
  create_reserved_domain: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReservedDomainCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservedDomain"];
        };
      };
    };
  };
  get_reserved_domain: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservedDomain"];
        };
      };
    };
  };
  delete_reserved_domain: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_reserved_domain: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReservedDomainUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ReservedDomain"];
        };
      };
    };
  };
  delete_reserved_domain_certificate: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  delete_reserved_domain_certificate_management_policy: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_reserved_domain_dns_records: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DomainRecordList"];
        };
      };
    };
  };
  get_server: {
    parameters: {};
    responses: {
      /** @description The facts. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ServerFacts"];
        };
      };
    };
  };
  list_ssh_certificate_authorities: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshCertificateAuthorityList"];
        };
      };
    };
  };
  create_ssh_certificate_authority: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["SshCertificateAuthorityCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshCertificateAuthority"];
        };
      };
    };
  };
  get_ssh_certificate_authority: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshCertificateAuthority"];
        };
      };
    };
  };
  delete_ssh_certificate_authority: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_ssh_certificate_authority: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SshCertificateAuthorityUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshCertificateAuthority"];
        };
      };
    };
  };
  list_ssh_certificate_authority_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
  list_ssh_host_certificates: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshHostCertificateList"];
        };
      };
    };
  };
  create_ssh_host_certificate: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["SshHostCertificateCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshHostCertificate"];
        };
      };
    };
  };
  get_ssh_host_certificate: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshHostCertificate"];
        };
      };
    };
  };
  delete_ssh_host_certificate: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_ssh_host_certificate: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SshHostCertificateUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshHostCertificate"];
        };
      };
    };
  };
  list_ssh_user_certificates: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshUserCertificateList"];
        };
      };
    };
  };
  create_ssh_user_certificate: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["SshUserCertificateCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshUserCertificate"];
        };
      };
    };
  };
  get_ssh_user_certificate: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshUserCertificate"];
        };
      };
    };
  };
  delete_ssh_user_certificate: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_ssh_user_certificate: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SshUserCertificateUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SshUserCertificate"];
        };
      };
    };
  };
  get_status: {
    parameters: {};
    responses: {
      /** @description The status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ServerStatus"];
        };
      };
    };
  };
  list_tls_certificates: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TlsCertificateList"];
        };
      };
    };
  };
  create_tls_certificate: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["TlsCertificateCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TlsCertificate"];
        };
      };
    };
  };
  get_tls_certificate: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TlsCertificate"];
        };
      };
    };
  };
  delete_tls_certificate: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_tls_certificate: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TlsCertificateUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TlsCertificate"];
        };
      };
    };
  };
  list_tls_certificate_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
  list_traffic: {
    parameters: {};
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TrafficList"];
        };
      };
    };
  };
  list_requests: {
    parameters: {
      query?: {
        /** @description The largest number of requests. */
        limit?: number;
        /** @description Only requests whose status is of this class. Empty is the same as absent. */
        status?: "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | "";
        /** @description Only requests that were refused with this code. Empty is the same as absent. */
        error_code?: string;
        /** @description Only requests whose id, method, host, path or visitor's address contains this text, in any case. Empty is the same as absent. */
        search?: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecentRequestList"];
        };
      };
    };
  };
  get_traffic_series_in_all: {
    parameters: {
      query?: {
        /** @description The last hour or day by minute, or the last 7 (`week`) or 90 days (`quarter`) by hour. Empty is the same as absent. */
        range?: "hour" | "day" | "week" | "quarter" | "";
      };
    };
    responses: {
      /** @description The traffic. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TrafficSeries"];
        };
      };
    };
  };
  get_traffic: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The traffic. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Traffic"];
        };
      };
    };
  };
  get_traffic_series: {
    parameters: {
      query?: {
        /** @description The last hour or day by minute, or the last 7 (`week`) or 90 days (`quarter`) by hour. Empty is the same as absent. */
        range?: "hour" | "day" | "week" | "quarter" | "";
      };
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The traffic. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TrafficSeries"];
        };
      };
    };
  };
  list_tunnel_sessions: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TunnelSessionList"];
        };
      };
    };
  };
  get_tunnel_session: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TunnelSession"];
        };
      };
    };
  };
  restart_tunnel_session: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SessionCommand"];
      };
    };
    responses: {
      /** @description The command was sent to the agent. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  stop_tunnel_session: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SessionCommand"];
      };
    };
    responses: {
      /** @description The command was sent to the agent. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  list_tunnels: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TunnelList"];
        };
      };
    };
  };
  get_tunnel: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Tunnel"];
        };
      };
    };
  };
  list_tunnel_requests: {
    parameters: {
      query?: {
        /** @description The largest number of requests. */
        limit?: number;
        /** @description Only requests whose status is of this class. Empty is the same as absent. */
        status?: "1xx" | "2xx" | "3xx" | "4xx" | "5xx" | "";
        /** @description Only requests that were refused with this code. Empty is the same as absent. */
        error_code?: string;
        /** @description Only requests whose id, method, host, path or visitor's address contains this text, in any case. Empty is the same as absent. */
        search?: string;
      };
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RecentRequestList"];
        };
      };
    };
  };
  list_users: {
    parameters: {
      query?: {
        /** @description The largest number of records on a page. */
        limit?: components["parameters"]["Limit"];
        /** @description Only records older than this one; empty is the same as absent. */
        before_id?: string;
        /** @description Only records that contain all of these words, in any case; empty is the same as absent. */
        search?: components["parameters"]["Search"];
      };
    };
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UserList"];
        };
      };
    };
  };
  create_user: {
    parameters: {};
    requestBody: {
      content: {
        "application/json": components["schemas"]["UserCreate"];
      };
    };
    responses: {
      /** @description The created record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
    };
  };
  get_user: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
    };
  };
  delete_user: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description Deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
      };
    };
  };
  update_user: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UserUpdate"];
      };
    };
    responses: {
      /** @description The new state. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
    };
  };
  list_user_dependents: {
    parameters: {
      path: {
        /** @description The id. */
        id: string;
      };
    };
    responses: {
      /** @description The list. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DependentList"];
        };
      };
    };
  };
}

/** The collections of records: member of a list, prefix of ids, name of a record. */

export const COLLECTIONS = {
  "/agents": { member: "agents", prefix: "ag", name: "agent" },
  "/alert_rules": { member: "alert_rules", prefix: "alr", name: "alert rule" },
  "/api_keys": { member: "keys", prefix: "ak", name: "API key" },
  "/app/sessions": { member: "application_sessions", prefix: "as", name: "app session" },
  "/app/users": { member: "application_users", prefix: "au", name: "app user" },
  "/audit_events": { member: "audit_events", prefix: "ev", name: "audit event" },
  "/backends/failover": { member: "backends", prefix: "bkdfo", name: "failover backend" },
  "/backends/http_response": { member: "backends", prefix: "bkdhr", name: "HTTP response backend" },
  "/backends/static": { member: "backends", prefix: "bkdsc", name: "static backend" },
  "/backends/tunnel_group": { member: "backends", prefix: "bkdtg", name: "tunnel group backend" },
  "/backends/weighted": { member: "backends", prefix: "bkdwd", name: "weighted backend" },
  "/bot_users": { member: "bot_users", prefix: "bot", name: "bot user" },
  "/certificate_authorities": {
    member: "certificate_authorities",
    prefix: "ca",
    name: "certificate authority",
  },
  "/credentials": { member: "credentials", prefix: "cr", name: "credential" },
  "/edges/https": { member: "https_edges", prefix: "edghts", name: "HTTPS edge" },
  "/edges/tcp": { member: "tcp_edges", prefix: "edgtcp", name: "TCP edge" },
  "/edges/tls": { member: "tls_edges", prefix: "edgtls", name: "TLS edge" },
  "/endpoints": { member: "endpoints", prefix: "ep", name: "endpoint" },
  "/event_destinations": { member: "event_destinations", prefix: "ed", name: "event destination" },
  "/ip_policies": { member: "ip_policies", prefix: "ipp", name: "IP policy" },
  "/ip_policy_rules": { member: "ip_policy_rules", prefix: "ipr", name: "IP policy rule" },
  "/ip_restrictions": { member: "ip_restrictions", prefix: "ipx", name: "IP restriction" },
  "/nodes": { member: "nodes", prefix: "nd", name: "node" },
  "/reserved_addrs": { member: "reserved_addrs", prefix: "ra", name: "reserved address" },
  "/reserved_domains": { member: "reserved_domains", prefix: "rd", name: "reserved domain" },
  "/ssh_certificate_authorities": {
    member: "ssh_certificate_authorities",
    prefix: "sshca",
    name: "SSH certificate authority",
  },
  "/ssh_host_certificates": {
    member: "ssh_host_certificates",
    prefix: "shcrt",
    name: "SSH host certificate",
  },
  "/ssh_user_certificates": {
    member: "ssh_user_certificates",
    prefix: "sucrt",
    name: "SSH user certificate",
  },
  "/tls_certificates": { member: "tls_certificates", prefix: "cert", name: "TLS certificate" },
  "/tunnel_sessions": { member: "tunnel_sessions", prefix: "ts", name: "tunnel session" },
  "/tunnels": { member: "tunnels", prefix: "tn", name: "tunnel" },
  "/users": { member: "users", prefix: "usr", name: "user" },
} as const;
