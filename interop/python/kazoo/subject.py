"""Stands where kazoo's tests keep the ZooKeeper cluster that they start: `kazoo.testing.common`. The cluster here is the
one server that the test has started already; stopping and starting it is asked of the test."""

# Set by suite.py before kazoo's tests are loaded.
stage = None
address = None


class Server:
    def __init__(self):
        self.address = address
        self.running = True

    def stop(self):
        stage.stop_server()
        self.running = False

    def run(self):
        if not self.running:
            stage.start_server()
            self.running = True


class ZookeeperCluster:
    def __init__(self, size, **_about_servers_that_are_not_started_here):
        assert size == 1, "there is one server"
        self._servers = [Server()]

    def __getitem__(self, index):
        return self._servers[index]

    def __iter__(self):
        return iter(self._servers)

    def start(self):
        for server in self:
            server.run()

    def terminate(self):
        """Called after each class of tests; the server goes on, its owner ends it."""

    def get_logs(self):
        return []
