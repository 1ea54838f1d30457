echo 2
