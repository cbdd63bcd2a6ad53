"""A static model of one's own: fine-tuned on an organisation's repositories, and measured."""
