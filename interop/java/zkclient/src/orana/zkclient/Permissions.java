// ACLs and identities: world, auth, digest and ip; what each permission opens; who the server thinks one is.
package orana.zkclient;

import static orana.stage.Check.becomes;
import static orana.stage.Check.equal;
import static orana.stage.Check.refused;
import static orana.stage.Check.that;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import orana.stage.Stage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;

final class Permissions {
    private static final byte[] NOTHING = new byte[0];
    private static final String BOB = "bob:fyVmFCwVbTJYrznoSu1koqYEYF0=";

    private Permissions() {}

    static void on(Stage stage) {
        stage.together("auth_expands_to_the_digest_of_the_creator", () -> auth(stage));
        stage.together("each_permission_opens_its_own_operations", () -> each(stage));
        stage.together("an_address_is_an_identity", () -> address(stage));
        stage.together("acl_versions_are_compared", () -> versions(stage));
        stage.together("wrong_acls_are_refused", () -> wrong(stage));
        stage.together("an_identity_is_sent_again_after_a_reconnect", () -> reconnect(stage));
        stage.together("an_unknown_scheme_fails_the_session", () -> unknownScheme(stage));
        stage.together("who_am_i_names_each_identity", () -> whoAmI(stage));
    }

    private static void auth(Stage stage) throws Exception {
        try (var bob = Sessions.open(stage.address()); var stranger = Sessions.open(stage.address())) {
            bob.zk().addAuthInfo("digest", "bob:secret".getBytes());
            String root = Sessions.root(bob.zk(), "auth");
            String path = bob.zk().create(root + "/mine", "data".getBytes(), Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
            equal("the stored ACL", acls(new ACL(Perms.ALL, new Id("digest", BOB))), bob.zk().getACL(path, new Stat()));
            refused("a stranger reads", KeeperException.NoAuthException.class, () -> stranger.zk().getData(path, false, null));
            refused("a stranger writes", KeeperException.NoAuthException.class, () -> stranger.zk().setData(path, NOTHING, -1));
            refused("a stranger lists", KeeperException.NoAuthException.class, () -> stranger.zk().getChildren(path, false));
            refused("a stranger looks at the ACL", KeeperException.NoAuthException.class, () -> stranger.zk().getACL(path, null));
            stranger.zk().addAuthInfo("digest", "bob:guess".getBytes());
            refused("a wrong password", KeeperException.NoAuthException.class, () -> stranger.zk().getData(path, false, null));
            stranger.zk().addAuthInfo("digest", "bob:secret".getBytes());
            equal("the right password", "data", new String(stranger.zk().getData(path, false, null)));
            // The ACL of the parent decides about a deletion.
            stranger.zk().delete(path, -1);
        }
    }

    private static void each(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "each");
            String readable = with(zk, root + "/r", Perms.READ);
            zk.getData(readable, false, null);
            zk.getChildren(readable, false);
            refused("write", KeeperException.NoAuthException.class, () -> zk.setData(readable, NOTHING, -1));
            refused("create", KeeperException.NoAuthException.class, () -> with(zk, readable + "/x", Perms.ALL));
            refused("admin", KeeperException.NoAuthException.class, () -> zk.setACL(readable, Ids.OPEN_ACL_UNSAFE, -1));
            String writable = with(zk, root + "/w", Perms.WRITE);
            zk.setData(writable, NOTHING, -1);
            refused("read", KeeperException.NoAuthException.class, () -> zk.getData(writable, false, null));
            String creatable = with(zk, root + "/c", Perms.CREATE);
            with(zk, creatable + "/child", Perms.ALL);
            refused("delete below", KeeperException.NoAuthException.class, () -> {
                zk.delete(creatable + "/child", -1);
                return null;
            });
            String deletable = with(zk, root + "/d", Perms.DELETE | Perms.ADMIN);
            refused("create below", KeeperException.NoAuthException.class, () -> with(zk, deletable + "/x", Perms.ALL));
            zk.setACL(deletable, acls(new ACL(Perms.CREATE | Perms.DELETE, Ids.ANYONE_ID_UNSAFE)), -1);
            with(zk, deletable + "/child", Perms.ALL);
            zk.delete(deletable + "/child", -1);
            refused("admin was given away", KeeperException.NoAuthException.class, () -> zk.setACL(deletable, Ids.OPEN_ACL_UNSAFE, -1));
        }
    }

    private static void address(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "ip");
            zk.create(root + "/loopback", NOTHING, acls(new ACL(Perms.ALL, new Id("ip", "127.0.0.1"))), CreateMode.PERSISTENT);
            zk.create(root + "/net", NOTHING, acls(new ACL(Perms.ALL, new Id("ip", "127.0.0.0/8"))), CreateMode.PERSISTENT);
            zk.create(root + "/elsewhere", NOTHING, acls(new ACL(Perms.ALL, new Id("ip", "10.0.0.0/8"))), CreateMode.PERSISTENT);
            zk.getData(root + "/loopback", false, null);
            zk.getData(root + "/net", false, null);
            refused("another network", KeeperException.NoAuthException.class, () -> zk.getData(root + "/elsewhere", false, null));
        }
    }

    private static void versions(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "aversion");
            Stat before = zk.exists(root, false);
            List<ACL> both = acls(new ACL(Perms.ALL, Ids.ANYONE_ID_UNSAFE), new ACL(Perms.READ, new Id("digest", BOB)));
            Stat after = zk.setACL(root, both, 0);
            equal("the ACL's version", 1, after.getAversion());
            equal("the data's version", before.getVersion(), after.getVersion());
            equal("mzxid stays", before.getMzxid(), after.getMzxid());
            refused("a stale version", KeeperException.BadVersionException.class, () -> zk.setACL(root, both, 0));
            Stat read = new Stat();
            equal("the list comes back in its order", both, zk.getACL(root, read));
            equal("with the stat", after, read);
            zk.setACL(root, acls(new ACL(Perms.READ, Ids.ANYONE_ID_UNSAFE), new ACL(Perms.ALL, new Id("digest", BOB))), 1);
            equal("a secret is hidden from those without ADMIN", "bob:x", zk.getACL(root, null).get(1).getId().getId());
        }
    }

    private static void wrong(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            ZooKeeper zk = session.zk();
            String root = Sessions.root(zk, "wrong");
            for (Id id : List.of(new Id("world", "somebody"), new Id("no-such-scheme", "x"), new Id("digest", "nocolon"), new Id("ip", "127.0.0.1/99"), new Id("auth", ""))) {
                refused("create with " + id, KeeperException.InvalidACLException.class,
                        () -> zk.create(root + "/x", NOTHING, acls(new ACL(Perms.ALL, id)), CreateMode.PERSISTENT));
                refused("set " + id, KeeperException.InvalidACLException.class,
                        () -> zk.setACL(root, acls(new ACL(Perms.ALL, id)), -1));
            }
            ACL twice = new ACL(Perms.ALL, Ids.ANYONE_ID_UNSAFE);
            zk.setACL(root, acls(twice, twice), -1);
            equal("a doubled entry is kept once", acls(twice), zk.getACL(root, null));
        }
    }

    private static void reconnect(Stage stage) throws Exception {
        var wire = stage.wire();
        try (var session = Sessions.open(wire.address())) {
            ZooKeeper zk = session.zk();
            zk.addAuthInfo("digest", "bob:secret".getBytes());
            String root = Sessions.root(zk, "reauth");
            zk.create(root + "/mine", NOTHING, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
            long id = zk.getSessionId();
            wire.blink();
            becomes("connected again", 10_000, true, () -> session.diary().saw(Watcher.Event.KeeperState.Disconnected) && session.connected());
            equal("the same session", id, zk.getSessionId());
            zk.getData(root + "/mine", false, null);
        }
    }

    private static void unknownScheme(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            session.zk().addAuthInfo("no-such-scheme", NOTHING);
            becomes("the client is told", 10_000, true, () -> session.diary().saw(Watcher.Event.KeeperState.AuthFailed));
            refused("nothing works afterwards", KeeperException.AuthFailedException.class, () -> session.zk().exists("/", false));
        }
    }

    private static void whoAmI(Stage stage) throws Exception {
        try (var session = Sessions.open(stage.address())) {
            equal("an address only", List.of("ip 127.0.0.1"), identities(session.zk()));
            session.zk().addAuthInfo("digest", "bob:secret".getBytes());
            session.zk().addAuthInfo("digest", "ann:secret".getBytes());
            List<String> told = identities(session.zk());
            equal("all identities", List.of("digest ann", "digest bob", "ip 127.0.0.1"), told);
            that("no secret", !told.toString().contains("secret"));
        }
    }

    /** A list that can be asked whether it contains null, as the client does. */
    private static List<ACL> acls(ACL... entries) {
        return Arrays.asList(entries);
    }

    private static List<String> identities(ZooKeeper zk) throws Exception {
        return zk.whoAmI().stream().map(who -> who.getAuthScheme() + " " + who.getUser()).sorted().collect(Collectors.toList());
    }

    private static String with(ZooKeeper zk, String path, int permissions) throws Exception {
        return zk.create(path, NOTHING, acls(new ACL(permissions, Ids.ANYONE_ID_UNSAFE)), CreateMode.PERSISTENT);
    }
}
