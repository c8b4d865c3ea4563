<?php
// php -S 127.0.0.1:PORT php_app.php; its state is in a file, as each request begins anew.
$file = getenv('STATE');
$state = is_file($file) ? json_decode(file_get_contents($file), true) : ['connectors' => [], 'tokens' => []];
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$route = $_SERVER['REQUEST_METHOD'] . ' ' . $path;
$refuse = function (int $status, string $text) {
    http_response_code($status);
    exit($text);
};
$add = function (string $name) use (&$state) {
    $id = count($state['connectors']) + 1;
    return $state['connectors'][$id] = ['id' => $id, 'name' => $name, 'last_seen' => null];
};
$find = function (string $id) use (&$state, $refuse) {
    return $state['connectors'][$id] ?? $refuse(404, 'there is no such connector');
};
register_shutdown_function(function () use ($file, &$state) {
    file_put_contents($file, json_encode($state));
});

// Without a header of its own, PHP sends all of them as text/html.
if (preg_match('#^PUT /fill/(\d+)$#', $route, $found)) {
    $state['connectors'] = [];
    for ($at = 1; $at <= $found[1]; $at++) {
        $add("web-$at");
    }
} elseif ($route === 'POST /api/connectors/create-token') {
    $token = bin2hex(random_bytes(16));
    $state['tokens'][$token] = false;
    echo json_encode(['token' => $token, 'expires_at' => gmdate('Y-m-d\TH:i:s\Z', time() + 600)]);
} elseif ($route === 'POST /api/connectors/activate') {
    $body = json_decode(file_get_contents('php://input'), true);
    $token = $body['token'] ?? '';
    if (empty($body['name']) || !is_string($token)) {
        $refuse(400, 'the name is missing');
    }
    if (!isset($state['tokens'][$token])) {
        $refuse(400, 'this token is unknown');
    }
    if ($state['tokens'][$token]) {
        $refuse(409, 'this token is used already');
    }
    $state['tokens'][$token] = true;
    $connector = $add($body['name']);
    header("Location: /api/connectors/{$connector['id']}", true, 201);
    echo 'Created';
} elseif ($route === 'GET /api/connectors') {
    echo json_encode(array_values($state['connectors']));
} elseif (preg_match('#^GET /api/connectors/(\w+)$#', $route, $found)) {
    echo json_encode($find($found[1]));
} elseif (preg_match('#^POST /api/connectors/(\w+)/heartbeat$#', $route, $found)) {
    $find($found[1]);
    $state['connectors'][$found[1]]['last_seen'] = gmdate(DATE_ATOM);
    echo 'ok';
} else {
    $refuse(404, 'not found');
}
