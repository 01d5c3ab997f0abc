"""What only several bodies of one target can show: kept in a `Trail`, judged by checks of their own."""
