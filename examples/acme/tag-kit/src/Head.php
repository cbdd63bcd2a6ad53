<?php

declare(strict_types=1);

namespace Acme\PageTags;

/** Collects a page's tags. */
class Head
{
    /** @var list<Tag> */
    private array $tags = [];

    public function add(Tag $tag): static
    {
        $this->tags[] = $tag;

        return $this;
    }

    public function describe(string $text): static
    {
        return $this->add(new MetaTag('description', $text));
    }

    public function html(): string
    {
        return implode("\n", array_map(fn (Tag $tag): string => $tag->html(), $this->tags));
    }
}
