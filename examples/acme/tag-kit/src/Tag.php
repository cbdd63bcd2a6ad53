<?php

declare(strict_types=1);

namespace Acme\PageTags;

/** One element of a page's head. */
interface Tag
{
    public function html(): string;
}
