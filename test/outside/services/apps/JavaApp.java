import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;

/** java JavaApp.java: the server of the JDK, which sends neither a media type nor, for these, a length. */
public class JavaApp {
    record Answer(int status, String body) {}

    static final Map<Integer, String[]> connectors = new TreeMap<>();
    static final Map<String, Boolean> tokens = new HashMap<>();

    static String add(String name) {
        int id = connectors.size() + 1;
        connectors.put(id, new String[] {name, "null"});
        return show(id);
    }

    static String show(int id) {
        String[] one = connectors.get(id);
        return "{\"id\":" + id + ",\"name\":\"" + one[0] + "\",\"last_seen\":" + one[1] + "}";
    }

    static String field(String body, String name) {
        Matcher found = Pattern.compile("\"" + name + "\" *: *\"([^\"]*)\"").matcher(body);
        return found.find() ? found.group(1) : "";
    }

    static Answer answer(String route, String body) {
        Matcher id = Pattern.compile("/(\\d+)(/heartbeat)?$").matcher(route);
        boolean isThere = id.find() && connectors.containsKey(Integer.parseInt(id.group(1)));
        if (route.startsWith("PUT /fill/")) {
            connectors.clear();
            for (int at = 1; at <= Integer.parseInt(id.group(1)); at++) add("web-" + at);
            return new Answer(200, "");
        }
        if (route.equals("POST /api/connectors/create-token")) {
            String token = UUID.randomUUID().toString();
            tokens.put(token, false);
            return new Answer(200, "{\"token\":\"" + token + "\",\"expires_at\":\"" + Instant.now().plusSeconds(600) + "\"}");
        }
        if (route.equals("POST /api/connectors/activate")) {
            String token = field(body, "token"), name = field(body, "name");
            if (name.isEmpty()) return new Answer(400, "the name is missing");
            if (!tokens.containsKey(token)) return new Answer(400, "this token is unknown");
            if (tokens.put(token, true)) return new Answer(409, "this token is used already");
            return new Answer(201, "{\"connector\":" + add(name) + ",\"secret\":\"" + UUID.randomUUID() + "\"}");
        }
        if (route.equals("GET /api/connectors"))
            return new Answer(200, connectors.keySet().stream().map(JavaApp::show).collect(Collectors.joining(",", "[", "]")));
        if (!isThere) return new Answer(404, "there is no such connector");
        int at = Integer.parseInt(id.group(1));
        if (route.startsWith("GET ")) return new Answer(200, show(at));
        connectors.get(at)[1] = "\"" + Instant.now() + "\"";
        return new Answer(200, "ok");
    }

    public static void main(String[] words) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 0);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Answer answer = answer(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath(), body);
            exchange.sendResponseHeaders(answer.status(), 0);
            exchange.getResponseBody().write(answer.body().getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
    }
}
