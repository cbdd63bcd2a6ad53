#!/bin/sh
# The system of an image, as a step of deploy/Dockerfile: installs the Debian packages that it is given, then deletes
# what no container runs. dpkg removes whole packages, so that its list, which scanners of vulnerabilities read, is true.
# What this runs on is no complete Debian afterwards, so it must be told that it may: SYSTEM_OF_AN_IMAGE=1.
set -eu
[ "${SYSTEM_OF_AN_IMAGE-}" = 1 ] || exit 64

cd /usr
if [ $# -gt 0 ]; then
  apt-get update -qq
  apt-get install --yes -qq --no-install-recommends "$@"
  # git's servers and mail.
  rm -f lib/git-core/git-daemon lib/git-core/git-http-backend lib/git-core/git-http-push lib/git-core/git-imap-send \
    lib/git-core/git-shell bin/git-shell bin/scalar lib/git-core/scalar
fi
# ssh refuses a user without a name.
sbin/groupadd --gid 10001 codesearch
sbin/useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin codesearch

# Python: bytecode without source, as of packages; no modules for what is not here.
stdlib=$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
(cd "$stdlib" && rm -rf test idlelib tkinter turtledemo turtle.py lib2to3 distutils ensurepip pydoc_data \
  lib-dynload/nis.* lib-dynload/_dbm.* lib-dynload/_gdbm.* lib-dynload/_tkinter.* site-packages/* ../../bin/pip*)
find "$stdlib" -depth -type d -name __pycache__ -exec rm -r {} +
python3 -m compileall -q -b "$stdlib"
find "$stdlib" -name '*.py' -type f -delete

purge() { dpkg --purge --force-remove-essential --force-remove-protected "$@" >/dev/null 2>&1 || true; }
# Tools of disks, users and packages; then what they and dpkg itself are written in.
for each in apt adduser debian-archive-keyring e2fsprogs logsave init-system-helpers sysvinit-utils login passwd mount \
  util-linux-extra util-linux bsdutils libpam-runtime libpam-modules libpam-modules-bin gpgv openssl \
  python3-pip python3-pip-whl python3-setuptools python3-setuptools-whl python3-pkg-resources python3-wheel python3-venv \
  python3.11-venv python3-distutils python3-lib2to3 debconf perl perl-modules-5.36 libperl5.36 liberror-perl; do
  purge --force-depends "$each"
done
# Libraries, unless a package that is left depends on them; of Python's packages only those modules did.
[ $# -gt 0 ] || purge --force-depends libdb5.3 libnsl2 libtirpc3 libtirpc-common libgssapi-krb5-2
for _ in 1 2 3; do
  for each in libpam0g libapt-pkg6.0 libsystemd0 libgcrypt20 libgpg-error0 libudev1 libext2fs2 libss2 libblkid1 libmount1 \
    libsmartcols1 libseccomp2 libxxhash0 libgnutls30 libp11-kit0 libtasn1-6 libidn2-0 libunistring2 libhogweed6 libnettle8 \
    libgmp10 libsemanage2 libsemanage-common libsepol2 libdebconfclient0 libcap-ng0 libaudit1 libaudit-common liblz4-1 \
    libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libcom-err2 libdb5.3 libgdbm6; do
    purge "$each"
  done
done
purge --force-depends perl-base bash tar dpkg

# Manuals, caches, translations; of dpkg only its lists; conversions that git alone may want.
rm -rf share/man share/info share/locale share/lintian share/zoneinfo/right share/zoneinfo/posix share/python-wheels lib/python3/dist-packages/* \
  local/bin/pip* /var/cache/* /var/lib/apt /var/log/* bin/localedef
[ $# -gt 0 ] || rm -rf lib/*-linux-gnu/gconv
[ ! -d share/doc ] || find share/doc ! -type d ! -name copyright -delete
find /var/lib/dpkg/info -type f ! -name '*.list' ! -name '*.md5sums' -delete
