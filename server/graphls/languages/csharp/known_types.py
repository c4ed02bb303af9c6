"""Known types: interfaces and classes of .NET that code implements, with all their members.

Owns: these lists.
Must not know: who asks.
Invariant: a list is whole, members of `object` aside, which nobody names as a base.
"""

from __future__ import annotations

from typing import Final

from graphls.languages.declared.known_members import known_members

KNOWN_MEMBERS: Final = known_members(
    ("System", "Microsoft", "?"),
    {
        "IDisposable": "Dispose",
        "IAsyncDisposable": "DisposeAsync",
        "ICloneable": "Clone",
        "IComparable": "CompareTo",
        "IComparer": "Compare",
        "IEquatable": "Equals",
        "IEqualityComparer": "Equals GetHashCode",
        "IEnumerable": "GetEnumerator",
        "IEnumerator": "Current MoveNext Reset Dispose",
        "IAsyncEnumerable": "GetAsyncEnumerator",
        "IAsyncEnumerator": "Current MoveNextAsync DisposeAsync",
        "IFormattable": "ToString",
        "INotifyPropertyChanged": "PropertyChanged",
        "INotifyPropertyChanging": "PropertyChanging",
        "IHostedService": "StartAsync StopAsync",
        "IObservable": "Subscribe",
        "IObserver": "OnCompleted OnError OnNext",
        "IProgress": "Report",
        "ISerializable": "GetObjectData",
        "IServiceProvider": "GetService",
        "Exception": "Data HelpLink HResult InnerException Message Source StackTrace TargetSite SerializeObjectState "
        "GetBaseException GetObjectData GetType ToString Equals GetHashCode",
    },
)
