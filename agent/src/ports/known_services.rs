//! Services recognized by their usual port or by the command line of their process.

/// Ports of services that do not speak HTTP, or that would act on the bytes of a probe.
const SERVICE_PORTS: &[(u16, &str)] = &[
    (21, "FTP"),
    (22, "SSH"),
    (23, "Telnet"),
    (25, "Mail (SMTP)"),
    (53, "DNS"),
    (110, "Mail (POP3)"),
    (111, "RPC"),
    (139, "File sharing (SMB)"),
    (143, "Mail (IMAP)"),
    (389, "LDAP"),
    (445, "File sharing (SMB)"),
    (465, "Mail (SMTP)"),
    (515, "Printer"),
    (587, "Mail (SMTP)"),
    (636, "LDAP"),
    (993, "Mail (IMAP)"),
    (995, "Mail (POP3)"),
    (1433, "SQL Server"),
    (1521, "Oracle"),
    (1883, "MQTT"),
    (2049, "File sharing (NFS)"),
    (2181, "ZooKeeper"),
    (3306, "MySQL"),
    (3389, "Remote desktop"),
    (4222, "NATS"),
    (5432, "PostgreSQL"),
    (5671, "AMQP"),
    (5672, "AMQP"),
    (5900, "VNC"),
    (5901, "VNC"),
    (6000, "X11"),
    (6379, "Redis"),
    (9042, "Cassandra"),
    (9092, "Kafka"),
    (11211, "memcached"),
    (27017, "MongoDB"),
    (25565, "Minecraft"),
];
/// Ports of printers, which print every byte they receive.
const PRINTER_PORTS: std::ops::RangeInclusive<u16> = 9100..=9107;

/// Words in command lines, the most specific first, with the service and whether it serves pages over plain HTTP.
const COMMAND_WORDS: &[(&str, &str, bool)] = &[
    ("vite", "Vite", true),
    ("next", "Next.js", true),
    ("nuxt", "Nuxt", true),
    ("astro", "Astro", true),
    ("webpack", "webpack", true),
    ("react-scripts", "React", true),
    ("storybook", "Storybook", true),
    ("ng", "Angular", true),
    ("http-server", "http-server", true),
    ("http.server", "Python http.server", true),
    ("uvicorn", "Uvicorn", true),
    ("gunicorn", "Gunicorn", true),
    ("flask", "Flask", true),
    ("manage.py", "Django", true),
    ("jupyter-lab", "Jupyter", true),
    ("jupyter-notebook", "Jupyter", true),
    ("puma", "Rails", true),
    ("rails", "Rails", true),
    ("jekyll", "Jekyll", true),
    ("hugo", "Hugo", true),
    ("artisan", "Laravel", true),
    ("php", "PHP", true),
    ("nginx", "nginx", false),
    ("caddy", "Caddy", false),
    ("apache2", "Apache", false),
    ("httpd", "Apache", false),
    ("haproxy", "HAProxy", false),
    ("traefik", "Traefik", false),
    ("postgres", "PostgreSQL", false),
    ("mysqld", "MySQL", false),
    ("mariadbd", "MariaDB", false),
    ("redis-server", "Redis", false),
    ("valkey-server", "Valkey", false),
    ("mongod", "MongoDB", false),
    ("memcached", "memcached", false),
    ("sshd", "SSH", false),
    ("cupsd", "Printing (CUPS)", false),
    ("Xvnc", "VNC", false),
    ("dockerd", "Docker", false),
    ("docker-proxy", "Container", false),
    ("rootlessport", "Container", false),
    ("ollama", "Ollama", true),
    ("grafana", "Grafana", true),
    ("prometheus", "Prometheus", true),
    ("minio", "MinIO", true),
];

/// The service on a port that must not be probed.
pub(super) fn by_port(port: u16) -> Option<&'static str> {
    if PRINTER_PORTS.contains(&port) {
        return Some("Printer");
    }
    SERVICE_PORTS.iter().find(|(known, _)| *known == port).map(|(_, name)| *name)
}

/// The service of a command line. Only the file names of its first words count; the rest are options.
pub(super) fn by_command_line(process: Option<&str>, words: &[String]) -> Option<(&'static str, bool)> {
    let first = words.iter().take(4).filter_map(|word| word.rsplit(['/', '\\']).next());
    let names: Vec<&str> = first
        // A process may replace its command line by a title: `nginx: master process`.
        .map(|word| word.split([':', ' ']).next().unwrap_or(word))
        .map(|word| word.strip_suffix(".js").or_else(|| word.strip_suffix(".exe")).unwrap_or(word))
        .chain(process)
        .collect();
    COMMAND_WORDS.iter().find(|(known, ..)| names.contains(known)).map(|(_, name, pages)| (*name, *pages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_recognized_by_its_command_line() {
        let of = |process, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            by_command_line(Some(process), &words).map(|(name, _)| name)
        };
        assert_eq!(of("node", &["node", "/home/ada/shop/node_modules/.bin/vite", "--port", "5173"]), Some("Vite"));
        assert_eq!(of("python3", &["python3", "-m", "http.server", "8000"]), Some("Python http.server"));
        assert_eq!(of("nginx", &["nginx: master process /usr/sbin/nginx -g daemon on;"]), Some("nginx"));
        assert_eq!(of("shop", &["/usr/bin/shop", "a", "b", "c", "vite"]), None, "later words are options");
        assert_eq!(by_command_line(None, &[]), None);
    }

    #[test]
    fn printers_are_never_probed() {
        assert_eq!(by_port(9100), Some("Printer"));
        assert!(by_port(8080).is_none());
    }
}
