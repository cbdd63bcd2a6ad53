<?php

declare(strict_types=1);

namespace Acme\PageTags;

/** `<meta name="…" content="…">`. */
final class MetaTag implements Tag
{
    public function __construct(private string $name, private string $content)
    {
    }

    public function html(): string
    {
        return '<meta name="' . quote($this->name) . '" content="' . quote($this->content) . '">';
    }
}
