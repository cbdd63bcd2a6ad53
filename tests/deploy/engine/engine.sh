#!/bin/bash
# A Docker Engine with Compose from Debian's packages, in a directory. Needs root, mounts and debootstrap.
#   engine.sh prepare DIRECTORY   the engine's root, and Python's for an image: once, some minutes
#   engine.sh run DIRECTORY       prints "ready PID" and runs until standard input ends; then nothing of it is left
# Needs no registry of images: stand-ins are built from Debian's packages under the names that $PYTHON_IMAGE,
# $POSTGRES_IMAGE and $REDIS_IMAGE give.
set -euo pipefail
step=$1 E=${2:?a directory} here=$(cd "$(dirname "$0")" && pwd)
# Processes and mounts live in namespaces whose first process is killed with `unshare`.
alone=(unshare --mount --propagation private --pid --fork --kill-child=SIGKILL)

prepare() { # in the namespaces
  mount -t proc proc /proc
  # shellcheck disable=SC2016 # apt's own variables
  mirror=$(apt-get indextargets --format '$(ORIGIN) $(SITE)' | sed -n 's/^Debian //p' | head -1) || true # as apt here; else debootstrap's own
  system() { debootstrap --variant=minbase --include="$2" "$1" "$E/partial-$3" ${mirror:+"$mirror"}; }
  rm -rf "$E"/partial-*
  mkdir -p "$E"
  system trixie docker.io,docker-cli,docker-compose,docker-buildx,iptables,ca-certificates,postgresql-17,postgresql-17-pgvector,redis-server root
  system bookworm python3,python3-venv,python3-pip,ca-certificates python
  # As the official slim image leaves them out.
  rm -rf "$E"/partial-python/usr/share/{doc,man,locale,info,lintian} "$E"/partial-*/var/{cache/apt/archives/*.deb,lib/apt/lists/*}
  rm "$E/partial-python/usr/lib/python3.11/EXTERNALLY-MANAGED"
  ln -s /usr/bin/python3.11 "$E/partial-python/usr/local/bin/python3"
  mv "$E/partial-python" "$E/python"
  mv "$E/partial-root" "$E/root"
}

run() { # as the first process of the namespaces
  read -r pid _ </proc/self/stat # as the machine counts
  enter_root
  dockerd --data-root "$E/data" --bridge=none --iptables=false --ip6tables=false --ip-forward=false \
    --cgroup-parent="/$(basename "$E")-$pid" --default-ulimit "nofile=$(ulimit -Hn):$(ulimit -Hn)" >"$E/log" 2>&1 </dev/null &
  engine=$!
  for _ in $(seq 120); do
    timeout 5 docker version >/dev/null 2>&1 && break
    kill -0 $engine || exit 1
    sleep 0.5
  done
  timeout 5 docker version >/dev/null || { echo "dockerd runs but has not answered 120 times; its log is $E/log." >&2; exit 1; }
  remove_all # of a run that was killed
  make_images
  echo "ready $pid"
  cat >/dev/null || true # until the one who started this has ended, in whatever way
  remove_all
  kill $engine
  timeout 60 tail --pid=$engine -f /dev/null || kill -KILL $engine
  wait $engine || true
  for _ in $(seq 20); do # control groups are emptied a moment later
    find /sys/fs/cgroup/*/"$(basename "$E")-$pid" -depth -type d -exec rmdir {} + 2>/dev/null || true
    compgen -G "/sys/fs/cgroup/*/$(basename "$E")-$pid" >/dev/null || break
    sleep 0.5
  done
}

enter_root() { # by pivot_root: with chroot alone, `docker exec` would join the machine's root
  R=$E/root
  mount --bind "$R" "$R"
  mount --rbind /dev "$R/dev"
  mount --rbind /sys "$R/sys"
  umount "$R/sys/fs/cgroup/unified" 2>/dev/null || true # of hybrid control groups
  mount -t tmpfs tmpfs "$R/run"
  for each in "$E" "$here"; do mkdir -p "$R$each"; mount --bind "$each" "$R$each"; done
  for each in /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt; do touch "$R$each"; mount --bind -o ro "$each" "$R$each"; done
  mkdir -p "$R/old"
  cd "$R"
  pivot_root . old
  cd /
  mount -t proc proc /proc
  umount -l /old
  export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
}

remove_all() { # but images; in bounded time
  docker ps -aq | xargs -r timeout 60 docker rm -fv >/dev/null 2>&1 || true
  timeout 20 docker network prune -f >/dev/null 2>&1 || true
  timeout 20 docker volume prune -af >/dev/null 2>&1 || true
}

make_images() {
  local made
  made=$(cat "$here"/engine.sh "$here"/images/* /etc/ssl/certs/ca-certificates.crt | sha256sum)" $PYTHON_IMAGE $POSTGRES_IMAGE $REDIS_IMAGE"
  [ "$(cat "$E/images" 2>/dev/null)" != "$made" ] || return 0
  tar -C "$E/python" -c . | docker import - stand-in/python >/dev/null
  # Not the engine's own directory, which is mounted below one of these, nor this one's.
  tar -C / --one-file-system --exclude=".$E" --exclude=".$here" --exclude='./usr/*bin/*docker*' --exclude='./usr/bin/containerd*' --exclude=./usr/bin/ctr \
    --exclude=./usr/libexec/docker --exclude=./usr/sbin/runc --exclude=./usr/share/doc \
    -c ./bin ./sbin ./lib ./lib64 ./usr ./etc ./var ./root ./home ./tmp | docker import - stand-in/services >/dev/null
  rm -rf "$E/context"
  cp -r "$here/images" "$E/context"
  cp /etc/ssl/certs/ca-certificates.crt "$E/context"
  for each in python postgres redis; do
    local name=${each^^}_IMAGE
    docker build --quiet --network none --file "$E/context/$each.Dockerfile" --tag "${!name}" "$E/context" >/dev/null
  done
  echo "$made" >"$E/images"
}

dispatch() { case $step in
  prepare | run)
    mkdir -p "$E"
    exec 9>"$E/lock"
    flock --wait 300 9 || { echo "Another engine runs in $E." >&2; exit 75; }
    if [ "$step" = prepare ]; then
      [ -d "$E/root" ] || "${alone[@]}" "$0" in-prepare "$E" >"$E/prepare.log" 2>&1 || { tail "$E/prepare.log" >&2; exit 1; }
    else
      exec "${alone[@]}" "$0" in-run "$E"
    fi
    ;;
  in-prepare) prepare ;;
  in-run) run ;;
esac; }

dispatch; exit # of one line, as bash would read on in a file that has changed meanwhile
