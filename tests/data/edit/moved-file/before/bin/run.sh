echo 1
