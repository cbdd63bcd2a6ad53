<?php

declare(strict_types=1);

namespace Acme\Magazine;

use Acme\PageTags\Head;
use Acme\PageTags\MetaTag as Meta;

use function Acme\PageTags\quote;

/** A story and its page. */
final class Story
{
    public function __construct(private string $title, private string $author, private string $text)
    {
    }

    public function head(): string
    {
        $head = new Head();
        $head->describe(mb_substr($this->text, 0, 150))->add(new Meta('author', $this->author));

        return $head->html();
    }

    public function page(): string
    {
        $title = quote($this->title);

        return "<head title=\"$title\">{$this->head()}</head><body>{$this->text}</body>";
    }
}
