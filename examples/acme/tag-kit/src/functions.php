<?php

declare(strict_types=1);

namespace Acme\PageTags;

/** Makes a text harmless between double quotes. */
function quote(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES);
}
