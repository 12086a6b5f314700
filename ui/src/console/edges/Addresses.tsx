// The public addresses of an edge or route, to open and to copy.
import { IconButton } from "../../parts/Button";
import { useCopy } from "../../services";
import { visitAddress } from "../modules/providerValues";
import { Mono, None } from "../resource/cells";
import { ExternalLink } from "./ExternalLink";
import styles from "./EdgeFrame.module.css";
import { useServer } from "./useServer";

const FEW = 3;

export function Addresses({ hostports, path = "/" }: { hostports: readonly string[]; path?: string }) {
  const copy = useCopy();
  const { data: server } = useServer();
  if (hostports.length === 0) return <None>none: it cannot be reached</None>;
  return (
    <span className={styles.addresses}>
      {hostports.slice(0, FEW).map((hostport) => {
        const address = server && visitAddress([hostport], path, server.https_port);
        return address && !hostport.startsWith("*.") ? (
          <span key={hostport} className={styles.address}>
            <ExternalLink to={address}>{address}</ExternalLink>
            <IconButton
              icon="copy"
              label={`Copy ${address}`}
              onClick={() => void copy(address, "The address")}
            />
          </span>
        ) : (
          <Mono key={hostport}>{hostport}</Mono>
        );
      })}
      {hostports.length > FEW && <span>and {hostports.length - FEW} more</span>}
    </span>
  );
}
