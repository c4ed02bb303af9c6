<?php
/*
 * Truth for `bench/languages.py php` from Psalm (MIT): what each name in the files of a folder means.
 *
 *     php -d memory_limit=-1 bench/php_references.php AUTOLOAD ROOT [FOLDER ...] > TRUTH.jsonl
 *
 * AUTOLOAD makes Psalm's classes load (`vendor/autoload.php` of an installed Psalm 6). FOLDERs below ROOT are analysed,
 * else all of it; nothing of ROOT is run. Psalm says for each name in code one symbol: of several that a union means the last.
 * A place is the line of the name in a declaration. `new Name` may lead to the class or to its constructor.
 */
declare(strict_types=1);

use Psalm\Config;
use Psalm\Internal\Analyzer\ProjectAnalyzer;
use Psalm\Internal\IncludeCollector;
use Psalm\Internal\LanguageServer\Reference;
use Psalm\Internal\Provider\FileProvider;
use Psalm\Internal\Provider\Providers;
use Psalm\Internal\RuntimeCaches;
use LanguageServerProtocol\Position;
use LanguageServerProtocol\Range;

require $argv[1];
$root = realpath($argv[2]);
$folders = array_slice($argv, 3) ?: ['.'];
$argv = $_SERVER['argv'] = [$argv[0]]; // Psalm reads it as well
defined('PSALM_VERSION') || define('PSALM_VERSION', '6');
defined('PHP_PARSER_VERSION') || define('PHP_PARSER_VERSION', '5');
$listed = implode('', array_map(fn($folder) => '<directory name="' . ($folder === '.' ? $root : "$root/$folder") . '" />', $folders));
$config = Config::loadFromXML($root, '<?xml version="1.0"?><psalm errorLevel="8" checkForThrowsDocblock="false" '
    . 'xmlns="https://getpsalm.org/schema/config"><projectFiles>' . $listed . '</projectFiles></psalm>');
$config->setIncludeCollector(new IncludeCollector());
$loader = new \Composer\Autoload\ClassLoader();
foreach (new RegexIterator(new RecursiveIteratorIterator(new RecursiveDirectoryIterator($root)), '/\.php$/') as $one) {
    $source = (string) file_get_contents($one->getPathname());
    $space = preg_match('/^\s*namespace\s+([\w\\\\]+)/m', $source, $found) ? $found[1] . '\\' : '';
    preg_match_all('/^\s*(?:abstract\s+|final\s+|readonly\s+)*(?:class|interface|trait|enum)\s+(\w+)/m', $source, $found);
    $loader->addClassMap(array_fill_keys(array_map(fn($name) => $space . $name, $found[1]), $one->getPathname()));
}
$config->setComposerClassLoader($loader);
$providers = new Providers(new FileProvider());
$project = new ProjectAnalyzer($config, $providers);
$project->setPhpVersion('8.2', 'cli');
$codebase = $project->getCodebase();
$codebase->store_node_types = true;
$codebase->find_unused_variables = false;
$config->visitPreloadedStubFiles($codebase);
$project->checkPaths(array_map(fn($folder) => $root . '/' . $folder, $folders));

$texts = [];
$text = function (string $file) use (&$texts): string {
    return $texts[$file] ??= (string) @file_get_contents($file);
};
$place = function (string $symbol, string $file) use ($codebase, $root, $text): ?array {
    try {
        $where = $codebase->getSymbolLocationByReference(new Reference($file, $symbol, new Range(new Position(0, 0), new Position(0, 0))));
    } catch (Throwable) {
        return null;
    }
    if ($where === null || !str_starts_with($where->file_path, $root . '/')) {
        return null;
    }
    $contents = $text($where->file_path);
    $at = $where->raw_file_start;
    $name = preg_replace('/^.*[\\\\:$]|\(\)$/', '', $symbol);
    if (!is_numeric($symbol[0])) {
        $name = preg_quote($name, '/');
        $word = match (true) {
            str_ends_with($symbol, '()') => "function\s+&?\s*$name\b",
            str_contains($symbol, '::$') => "\\$$name\b",
            str_contains($symbol, '::') => "\b$name\b",
            default => "(?:class|interface|trait|enum)\s+$name\b",
        };
        if (preg_match("/$word/i", $contents, $found, PREG_OFFSET_CAPTURE, $at)) {
            $at = $found[0][1] + strlen($found[0][0]) - 1;
        }
    }
    $line = substr_count($contents, "\n", 0, min($at, strlen($contents))) + 1;
    $begin = (int) strrpos(substr($contents, 0, $at), "\n");
    return [substr($where->file_path, strlen($root) + 1), $line, $at - $begin];
};
foreach ($codebase->analyzer->getFileMaps() as $file => $maps) {
    if (!str_starts_with($file, $root . '/')) {
        continue;
    }
    $contents = $text($file);
    ksort($maps[0]);
    foreach ($maps[0] as $start => [$end, $symbol]) {
        $spelled = substr($contents, $start, $end - $start);
        $lead = strrpos($spelled, '\\');
        $shift = $lead === false ? (int) str_starts_with($spelled, '$') : $lead + 1;
        if (!preg_match('/\G\w+/', $contents, $word, 0, $start + $shift)) {
            continue;
        }
        $name = $word[0];
        if ( in_array(strtolower($name), ['self', 'static', 'parent', 'this', 'class'], true)) {
            continue;
        }
        $offset = $start + $shift;
        $local = is_numeric($symbol[0]);
        $places = array_filter([$place($symbol, $file)]);
        $made = preg_match('/\bnew\s+[\w\\\\]*$/', substr($contents, max(0, $offset - 200), min($offset, 200)));
        if ($made && !$local) {
            $class = preg_replace('/::.*$/', '', $symbol);
            $places = array_filter([...$places, $place($class, $file), $place($class . '::__construct()', $file)]);
        }
        $line = substr_count($contents, "\n", 0, $offset) + 1;
        $before = strrpos(substr($contents, 0, $offset), "\n");
        $column = $before === false ? $offset + 1 : $offset - $before;
        $short = substr($file, strlen($root) + 1);
        if ($local && $places && $places[0][1] === $line && abs($places[0][2] - $column) < 2) {
            continue; // the first assignment itself
        }
        if (preg_match('/\b(?:function\s+&?|class|interface|trait|enum|const|namespace)\s*$/', substr($contents, max(0, $offset - 40), min($offset, 40)))) {
            continue;
        }
        echo json_encode([
            'file' => $short, 'line' => $line, 'col' => $column, 'name' => $name, 'external' => !$places, 'local' => $local,
            'kind' => str_ends_with($symbol, '()') ? (str_contains($symbol, '::') ? 'method' : 'function')
                : (str_contains($symbol, '::$') ? 'property' : ($local ? 'local' : (str_contains($symbol, '::') ? 'constant' : 'class'))),
            'definitions' => array_values($places), 'symbol' => $symbol,
        ], JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
    }
}
