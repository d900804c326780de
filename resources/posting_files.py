"""Files for a finance system that takes its journal from a folder: one immutable object a document, read back to know.

    posted/<system>/<company>/<month>/<document key>.<extension>

An object is complete or absent and never overwritten, so a repeat finds what it wrote. Whether finance has imported a
file, no file can say. Not here: the formats (chargeback/ledger/posted_*.py).
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import cast

from chargeback.ledger import posted_beancount, posted_csv, posted_fbdi, posted_hledger
from chargeback.ledger.posting_document import PostingDocument
from chargeback.ledger.posting_files import FileFormat, FileTerms, Unreadable
from chargeback.ledger.tie_out import HeldLine
from resources.finance_system import Held, Refused, Unanswered
from resources.object_store import ObjectConflict, ObjectMissing, ObjectStore
from resources.store_failures import StoreFailure

FOLDER = "posted"
FORMATS: Mapping[str, ModuleType] = {
    "csv": posted_csv,
    "fbdi": posted_fbdi,
    "hledger": posted_hledger,
    "beancount": posted_beancount,
}


class PostingFiles:
    """A folder of files in one format. `accounts`: those of ours that a file can name."""

    def __init__(self, store: ObjectStore, name: str, terms: FileTerms, *, accounts: Sequence[str]) -> None:
        self.name = name
        self._store = store
        self._terms = terms
        self._format = cast(FileFormat, FORMATS[name])
        self._ours = {self._format.account_name(each, terms): each for each in accounts}

    def find(self, key: str) -> Held | None:
        """The file of this key. Raises Refused if it is not as we wrote it; Unanswered if the store does not answer."""
        address = self._address(key)
        try:
            said, digest, _ = self._format.read(self._store.get(address))
        except ObjectMissing:
            return None
        except StoreFailure as failure:
            raise Unanswered(str(failure)) from None
        except Unreadable as fault:
            raise Refused(f"{address}: {fault}; take it out and post again") from None
        if said != key:
            raise Refused(f"{address} is of {said}, not of {key}: take it out and post again")
        return Held(key, address, digest)

    def submit(self, document: PostingDocument, *, posting_month: str) -> Held:
        """Write the file of a document. Raises Refused if another one stands there, or it cannot be said exactly."""
        address = self._address(document.key)
        try:
            content = self._format.render(document, posting_month=posting_month, terms=self._terms)
            for name, beside in self._beside(document).items():
                self._store.put_new(name, beside)
            self._store.put_new(address, content)
        except ObjectConflict as conflict:
            raise Refused(str(conflict)) from None
        except ValueError as fault:
            raise Refused(f"{document.key}: {fault}") from None
        except StoreFailure as failure:
            raise Unanswered(str(failure)) from None
        return Held(document.key, address, document.sha256)

    def finish(self, held: Held) -> Held:
        """A file is no draft: whoever imports it decides."""
        return held

    def held_lines(self, batch_key: str) -> Sequence[HeldLine]:
        """The lines of every file of a batch. Raises Refused for a file that is not as we wrote it; Unanswered."""
        lines = []
        try:
            for stored in self._store.list(f"{self._folder(batch_key)}/"):
                key, _, filed = self._format.read(self._store.get(stored.key))
                lines += [
                    HeldLine(key, stored.key, self._ours.get(each.account, each.account), each.signed) for each in filed
                ]
        except StoreFailure as failure:
            raise Unanswered(str(failure)) from None
        except Unreadable as fault:
            raise Refused(f"{stored.key}: {fault}; take it out and post again") from None
        return lines

    def _beside(self, document: PostingDocument) -> dict[str, bytes]:
        """What stands beside the documents, always with the same bytes: Beancount's accounts and its main file."""
        if self.name != "beancount":
            return {}
        folder = f"{FOLDER}/{self.name}"
        opened = posted_beancount.opened_accounts(document, self._terms)
        files = {f"{folder}/accounts/{_safe(name)}.beancount": content for name, content in opened.items()}
        return {f"{folder}/main.beancount": posted_beancount.ledger_file(self._terms), **files}

    def _address(self, key: str) -> str:
        batch = re.match(r"gpu-cb:.*:\d{4}-\d\d(?=:)", key)  # a company may have colons in its name
        return f"{self._folder(batch[0] if batch else key)}/{_safe(key)}.{self._format.EXTENSION}"

    def _folder(self, batch_key: str) -> str:
        company, _, month = batch_key.removeprefix("gpu-cb:").rpartition(":")
        return f"{FOLDER}/{self.name}/{_safe(company)}/{_safe(month)}"


def _safe(text: str) -> str:
    """A segment of an object key that no two texts share."""
    plain = re.sub(r"[^A-Za-z0-9.-]", "_", text)
    is_same = plain == text and plain.strip(".") == plain
    return plain if is_same else f"{plain[:120]}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
