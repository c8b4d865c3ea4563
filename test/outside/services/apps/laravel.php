<?php
// php -S 127.0.0.1:PORT laravel.php; Laravel's three paginators, by PAGINATION, on lists alone.
require '/usr/share/php/Illuminate/Pagination/autoload.php';

use Illuminate\Pagination\Cursor;
use Illuminate\Pagination\CursorPaginator;
use Illuminate\Pagination\LengthAwarePaginator;
use Illuminate\Pagination\Paginator;

$file = getenv('STATE');
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($_SERVER['REQUEST_METHOD'] === 'PUT') {
    file_put_contents($file, basename($path));
    exit;
}
$total = (int) @file_get_contents($file);
$all = array_map(fn ($id) => ['id' => $id, 'name' => "web-$id"], $total === 0 ? [] : range(1, $total));
$perPage = 15;
$page = (int) ($_GET['page'] ?? 1);
$options = ['path' => "http://{$_SERVER['HTTP_HOST']}$path"];
$from = ($page - 1) * $perPage;
$list = match (getenv('PAGINATION')) {
    // Model::paginate()
    'page' => fn () => new LengthAwarePaginator(array_slice($all, $from, $perPage), $total, $perPage, $page, $options),
    // Model::simplePaginate(), which reads one row more than it shows
    'simple' => fn () => new Paginator(array_slice($all, $from, $perPage + 1), $perPage, $page, $options),
    // Model::cursorPaginate()
    'cursor' => function () use ($all, $perPage, $options) {
        $cursor = Cursor::fromEncoded($_GET['cursor'] ?? null);
        $after = $cursor === null ? 0 : (int) $cursor->parameter('id');
        $rows = array_values(array_filter($all, fn ($one) => $one['id'] > $after));
        return new CursorPaginator(array_slice($rows, 0, $perPage + 1), $perPage, $cursor, [...$options, 'parameters' => ['id']]);
    },
};
header('Content-Type: application/json');
echo json_encode($list());
