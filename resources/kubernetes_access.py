"""How a Kubernetes API is reached: by kubeconfig and context, the pod's service account, or a server and a token file.

The official client takes a second to import, so it is imported when it is asked for. Not here: what is asked of the API
(kubernetes_api.py).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from resources.setting_kinds import SettingsRefused

if TYPE_CHECKING:
    from kubernetes.client import ApiClient, Configuration

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(frozen=True, slots=True)
class KubernetesAccess:
    """What a person said about where the API is. Nothing said: the pod's service account in a pod, else the kubeconfig.

    `kubeconfig` None is $KUBECONFIG or ~/.kube/config. `server` needs `token_file`; `ca_file` None trusts what the
    machine trusts.
    """

    kubeconfig: Path | None = None
    context: str | None = None
    server: str | None = None
    token_file: Path | None = None
    ca_file: Path | None = None

    def connected(self) -> "ApiClient":
        """A client of the API; nothing has been asked of it yet.

        Raises  SettingsRefused, one line without any secret, for a contradiction, a file that is missing or empty, or a
                kubeconfig that cannot be used.
        """
        self._refuse_contradictions()
        if self.server is not None:
            return _connected_to(self.server, self.token_file, self.ca_file)
        if self.kubeconfig is None and self.context is None and (SERVICE_ACCOUNT / "token").is_file():
            return _connected_in_cluster()
        return _connected_by_kubeconfig(self.kubeconfig, self.context)

    def _refuse_contradictions(self) -> None:
        by_server = [name for name in ("token_file", "ca_file") if getattr(self, name) is not None]
        if self.server is None and by_server:
            raise SettingsRefused(f"--{by_server[0].replace('_', '-')} needs --server")
        if self.server is not None and (self.kubeconfig or self.context):
            raise SettingsRefused("--server stands for itself; leave --kubeconfig and --context out")
        if self.server is not None and self.token_file is None:
            raise SettingsRefused("--server needs --token-file, a file with a bearer token")
        if self.server is not None and not self.server.startswith(("https://", "http://127.0.0.1", "http://localhost")):
            raise SettingsRefused(f"--server {self.server!r} must begin with https://: a token is sent to it")
        for option in ("kubeconfig", "token_file", "ca_file"):
            path = getattr(self, option)
            if path is not None and not path.is_file():
                raise SettingsRefused(f"--{option.replace('_', '-')}: no such file: {path}")


def _connected_to(server: str, token_file: Path | None, ca_file: Path | None) -> "ApiClient":
    from kubernetes.client import Configuration

    def read_again(configuration: "Configuration") -> None:
        """A token that is mounted into a pod is renewed while it runs."""
        configuration.api_key["BearerToken"] = f"Bearer {_token(token_file)}"

    configuration = Configuration(host=server.rstrip("/"), ssl_ca_cert=str(ca_file) if ca_file else None)
    read_again(configuration)
    configuration.refresh_api_key_hook = read_again
    return _client(configuration)


def _token(file: Path | None) -> str:
    token = file.read_text(encoding="utf-8", errors="replace").strip() if file else ""
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsRefused(f"--token-file {file} holds no token: one line without spaces")
    return token


def _connected_in_cluster() -> "ApiClient":
    from kubernetes.client import Configuration
    from kubernetes.config import ConfigException, load_incluster_config

    configuration = Configuration()
    try:
        load_incluster_config(client_configuration=configuration)
    except ConfigException as problem:
        raise SettingsRefused(f"this pod's service account cannot be used: {_first_line(problem)}") from problem
    return _client(configuration)


def _connected_by_kubeconfig(kubeconfig: Path | None, context: str | None) -> "ApiClient":
    import yaml
    from kubernetes.client import Configuration
    from kubernetes.config import ConfigException, load_kube_config

    configuration = Configuration()
    try:
        load_kube_config(
            config_file=str(kubeconfig) if kubeconfig else None,
            context=context,
            client_configuration=configuration,
            persist_config=False,
        )
    except (ConfigException, yaml.YAMLError, TypeError, ValueError, AttributeError, OSError) as problem:
        asked = f"kubeconfig {kubeconfig}" if kubeconfig else "the kubeconfig"
        raise SettingsRefused(
            f"{asked} cannot be used: {_first_line(problem)}; give --kubeconfig and --context, or --server"
        ) from problem
    return _client(configuration)


def _client(configuration: "Configuration") -> "ApiClient":
    """Without the retries and redirects of the transport: those are counted where the API is asked."""
    from kubernetes.client import ApiClient

    configuration.retries = False
    return ApiClient(configuration)


def _first_line(problem: Exception) -> str:
    return str(problem).strip().partition("\n")[0][:200] or type(problem).__name__
