<?php
namespace App\Core;
use App\Base\Model;
use function App\helper;
require_once 'lib.php';

/** A box. */
class Sample extends Model implements Sized {
    private int $count = 0;
    const LIMIT = 3;
    public function put(string $item): void { $this->check($item); helper(new Other()); Tools::run(); }
}
interface Sized { function size(): int; }
function top(int $n) { return strlen($n); }
