#!/usr/bin/env python3
"""Renders small templates with Jinja2, set up as transformers sets it up for chat templates, and writes
what each gives, or that it fails, to testdata/jinja/expressions.json. Needs the Python package jinja2.

    tools/jinja_goldens.py > testdata/jinja/expressions.json
"""
import json
import sys

import jinja2
from jinja2.sandbox import SandboxedEnvironment


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


ENVIRONMENT = SandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
)
ENVIRONMENT.filters["tojson"] = tojson
ENVIRONMENT.globals["raise_exception"] = raise_exception

CONTEXT = {
    "n": 7,
    "f": 2.5,
    "s": "Hello, World",
    "es": "  ¿Qué tal, niño? 🙂  ",
    "empty": "",
    "t": True,
    "nothing": None,
    "xs": [3, 1, 2],
    "words": ["banana", "Apple", "cherry", "apple"],
    "d": {"b": 1, "a": [1, 2, {"c": None}], "items": "shadowed"},
    "people": [
        {"name": "Ann", "age": 31, "tags": ["x"], "home": {"city": "Oslo"}},
        {"name": "bob", "age": 25, "tags": [], "home": {"city": "Rome"}},
        {"name": "Cid", "age": 31, "tags": ["y", "z"], "home": {"city": "oslo"}},
    ],
    "html": "<a href='x'>\"&\"</a>",
    "text": "line one\n  line two\n\nline four",
}

EXPRESSIONS = r"""
1 + 2 * 3 - 4
7 // 2
-7 // 2
7 % 3
-7 % 3
7 % -3
-7.5 % 2
7.5 // 2
7 / 2
8 / 2
2 ** 10
2 ** -1
2 ** 3 ** 2
-2 ** 2
1 - -1
+5
1.0
1e16
1e15
123456789012345680.0
0.1 + 0.2
1e-5
0.0001
1.5e300 * 1e10
100000000000000000000.0
3.14e2
1_000 + 0x1F + 0b11 + 0o17
n + f
t + 1
'a' + 'b'
'a' ~ 1 ~ none ~ 2.0 ~ [1, 'x']
'ab' * 3
3 * [1, 2]
[1] + [2, 3]
(1, 2) + (3,)
'a' + 1
1 + 'a'
none + 1
missing + 1
missing
missing.x
missing is defined
d.missing
d.missing.x
d.missing is defined
d['b']
d.b
d.a[2].c
d['a'][-1]['c']
d.items is callable
d['items']
d.items() | list
d.keys() | list
d.values() | list
d.get('b')
d.get('zzz')
d.get('zzz', 5)
d | length
xs[0]
xs[-1]
xs[10]
xs[10] is defined
xs[1:]
xs[:-1]
xs[::-1]
xs[::2]
xs[5:]
xs[-2:]
xs[2:0:-1]
xs[::0]
s[0]
s[-1]
s[7:]
s[:5]
s[::-1]
s[100]
s[100:]
es[3]
es[2:5]
es | length
es[::-1]
es | trim
es | trim | upper
es | lower | title
s | upper
s | lower
s | capitalize
'hELLO wORLD' | title
"it's john's book" | title
'foo-bar (baz) [qux]' | title
"it's john's book".title()
'hELLO'.capitalize()
'Straße'.upper()
s.lower()
s.swapcase()
s.startswith('He')
s.startswith(('x', 'He'))
s.startswith('World', 7)
s.endswith('ld')
s.endswith(('a', 'b'))
s.find('o')
s.find('o', 5)
s.find('zz')
s.rfind('o')
s.index('W')
s.index('zz')
s.count('o')
s.count('')
es.find('niño')
s.replace('o', '0')
s.replace('o', '0', 1)
'aaa'.replace('a', 'bb')
'abc'.replace('', '-')
'abc'.replace('', '-', 2)
s.split(', ')
s.split()
'  a b  c '.split()
'  a b  c '.split(' ')
'  a b  c '.split(none, 1)
'  a b  c '.rsplit(none, 1)
'  a b  c '.split(none, 0)
'a,b,c'.split(',', 1)
'a,b,c'.rsplit(',', 1)
''.split()
''.split(',')
'a,b'.split('')
text.splitlines()
text.splitlines(true)
'a\r\nb\rc\n'.splitlines()
'a=b=c'.partition('=')
'a=b=c'.rpartition('=')
'abc'.partition('=')
'abc'.rpartition('=')
'xxabcxx'.strip('x')
'xxabcxx'.lstrip('x')
'xxabcxx'.rstrip('x')
'  abc\n'.strip()
'éabcé'.strip('é')
'<think>x'.removeprefix('<think>')
'x</think>'.removesuffix('</think>')
', '.join(['a', 'b'])
', '.join([1, 2])
'7'.zfill(3)
'-7'.zfill(4)
'ab'.ljust(5) ~ '|'
'ab'.rjust(5, '*')
'ab'.center(5, '*')
'abc'.center(6, '*')
'12'.isdigit()
'1a'.isdigit()
''.isdigit()
'abc'.isalpha()
'añb'.isalpha()
'a1'.isalnum()
'AB1'.isupper()
'ab1'.islower()
'12'.isupper()
'  '.isspace()
'{} {}'.format(1, 'a')
'{1} {0}'.format(1, 'a')
'{x}-{y:>4}|{z:.2f}'.format(x=1, y='a', z=3.14159)
'{{}} {:05d} {:+d} {:x} {:,}'.format(42, 7, 255, 1234567)
'{!r}'.format('a')
'{:^7}|{:<4}|{:*>5}'.format('ab', 1, 'x')
'{} {}'.format(1)
'%s and %d' % ('a', 3)
'%5.2f|%-5s|%05d' % (3.14159, 'ab', 42)
'%(a)s' % {'a': 1}
'%d%%' % 5
'%x %X %o %e' % (255, 255, 8, 12345.678)
'%s' % [1, 2]
'%d' % 'a'
'%s %s' % 'a'
'%s' % ('a', 'b')
'%r' % 'a'
'%s %s' | format('a', 1)
'%(x)s' | format(x=3)
1 < 2
1 < 2 < 3
1 < 3 < 2
1 == 1.0
1 == true
'1' == 1
[1, 2] == [1, 2]
(1, 2) == [1, 2]
{'a': 1} == {'a': 1.0}
none == false
'a' < 'b'
'a' < 1
[1, 2] < [1, 3]
none < 1
missing < 1
missing == missing
missing == none
1 in [1, 2]
'ell' in s
1 in s
'b' in d
'zz' not in d
not 'b' in d
1 in missing
missing in s
1 in 5
1 and 0
1 or 0
'' or 'x'
none or missing
not none
not 1 == 2
1 if true else 2
1 if false else 2
1 if false
(1 if false) is defined
'a' if empty else 'b' if t else 'c'
1 is integer
true is integer
1.0 is integer
1.0 is float
1.5 is number
true is number
true is boolean
1 is boolean
s is string
xs is string
d is mapping
xs is mapping
xs is iterable
s is iterable
5 is iterable
d is iterable
xs is sequence
s is sequence
d is sequence
5 is sequence
none is none
missing is none
none is defined
missing is undefined
missing is iterable
missing is sequence
missing is string
true is true
1 is true
false is false
0 is false
4 is even
5 is odd
9 is divisibleby 3
9 is divisibleby(4)
4 is not even
3 is eq 3
3 is equalto(4)
3 is gt 2
3 is ge 4
3 is lt 2
3 is le 3
3 is ne 3
2 is in [1, 2]
'ab' is lower
'AB' is upper
'Ab' is upper
range is callable
s is callable
none is sameas none
xs is sameas xs
'upper' is filter
'nope' is filter
'even' is test
xs is nosuchtest
xs | nosuchfilter
xs | length
missing | length
5 | length
none | length
xs | first
xs | last
[] | first
[] | first is defined
'abc' | first
'abc' | last
xs | sort
xs | sort(reverse=true)
words | sort
words | sort(case_sensitive=true)
people | sort(attribute='age') | map(attribute='name') | list
people | sort(attribute='age,name') | map(attribute='name') | list
people | sort(attribute='age', reverse=true) | map(attribute='name') | join(',')
[1, 'a'] | sort
xs | reverse | list
s | reverse
words | unique | list
words | unique(case_sensitive=true) | list
people | map(attribute='home.city') | join(' ')
people | map(attribute='zip', default='-') | join(' ')
people | map(attribute='tags') | map('length') | list
words | map('upper') | list
words | map('replace', 'a', 'A') | list
people | selectattr('tags') | map(attribute='name') | list
people | selectattr('age', 'equalto', 31) | map(attribute='name') | list
people | selectattr('age', 'gt', 30) | list | length
people | rejectattr('age', 'eq', 31) | map(attribute='name') | list
people | rejectattr('tags') | map(attribute='name') | list
xs | select('gt', 1) | list
xs | select | list
[0, 1, '', 'a', none] | select | list
[0, 1, '', 'a', none] | reject | list
xs | reject('odd') | list
xs | select('nosuch') | list
people | groupby('age') | map('first') | list
people | groupby('home.city') | map('first') | list
xs | sum
people | sum(attribute='age')
xs | sum(start=10)
['a'] | sum
xs | min
xs | max
words | min
people | max(attribute='age')
[] | min
xs | join
xs | join(', ')
['a', none, missing, 1.0] | join('-')
people | join(', ', attribute='name')
'abc' | join('-')
missing | join(',')
[1, 2, 3, 4, 5] | batch(2) | list
[1, 2, 3, 4, 5] | batch(2, 'x') | list
[1, 2, 3, 4, 5] | slice(2) | list
[1, 2, 3, 4, 5] | slice(3, 'x') | list
d | items | list
missing | items | list
s | items | list
{'b': 1, 'A': 2, 'c': 0} | dictsort
{'b': 1, 'A': 2, 'c': 0} | dictsort(case_sensitive=true)
{'b': 1, 'A': 2, 'c': 0} | dictsort(by='value')
{'b': 1, 'A': 2, 'c': 0} | dictsort(reverse=true)
missing | default('x')
none | default('x')
none | default('x', true)
'' | d('x', boolean=true)
missing | default
'abc' | list
d | list
missing | list
5 | list
'42' | int
'4.9' | int
'x' | int
'x' | int(default=5)
'0x1f' | int(base=16)
'ff' | int(0, 16)
' 42 ' | int
'1_000' | int
4.9 | int
-4.9 | int
none | int
true | int
[] | int
missing | int
'1.5' | float
'x' | float
'1e3' | float
7 | float
-5 | abs
-2.5 | abs
'a' | abs
2.5 | round
3.5 | round
2.567 | round(2)
2.567 | round(1, 'ceil')
2.567 | round(1, 'floor')
7 | round
1234.5 | round(-2)
42 | string
1.0 | string ~ 'x'
none | string
missing | string
xs | string
'a' | center(5) ~ '|'
'foo bar baz qux' | truncate(9)
'foo bar baz qux' | truncate(9, true)
'foo bar baz qux' | truncate(11)
'foo bar baz qux' | truncate(9, false, '~', 0)
'foo bar, baz' | wordcount
text | indent
text | indent(2, true)
text | indent('>', blank=true)
'a\nb\n' | indent(2)
'' | indent(2, true)
html | escape
html | e
html | safe
html | replace('<', '[')
5 | replace(5, 6)
'a b/c?d=é&e' | urlencode
{'a b': 1, 'c': '/&'} | urlencode
1000000 | filesizeformat
1 | filesizeformat
999 | filesizeformat
123456 | filesizeformat(true)
d | tojson
people[0] | tojson(indent=2)
d | tojson(indent=4)
d | tojson(sort_keys=true)
d | tojson(separators=(',', ':'))
{'a': [], 'b': {}} | tojson(indent=2)
[1.0, 1e20, true, none, 'a"b\\c\n\té'] | tojson
'é🙂\u007f' | tojson(ensure_ascii=true)
'</script>&\u2028' | tojson
{1: 2, true: 3, none: 4} | tojson
{1.5: 'x'} | tojson
(1, 2) | tojson
missing | tojson
range | tojson
xs | tojson | length
range(5) | list
range(2, 5) | list
range(5, 0, -2) | list
range(0) | list
range(1000000) | list
range(1, 2, 0) | list
dict(a=1, b='x')
dict({'a': 1}, b=2)
{'a': 1, 'a': 2}
{1: 'a'}[1]
{'x': {'y': {'z': 1}}}.x.y.z
{[1]: 2}
()
(1,)
(1, 'a')
[]
{}
['it\'s', "say \"hi\"", 'both \' and "', 'tab\t', 'é', '\x00', '\u200b']
'a' 'b' "c"
'\x41\u00e9\U0001F600\101\q\'\\'
[1, [2, [3, {'k': (4, none)}]]]
true
True
none
None
xs.append(4)
xs.nosuch
xs.index(2)
xs.index(9)
xs.count(1)
xs()
s()
s.nosuch()
nosuchfunction()
n.x
n.x.y
xs | map('nosuch') | list
xs | attr('append') is callable
d | attr('b') is defined
-xs
not xs
-missing
xs * 'a'
1 // 0
1.0 / 0
1 % 0
- 5 | abs
-5 | string | length
'a' | upper ~ 'b' | upper
1 + 2 | string
d.a | length > 2 and s
people[0].name
people[0]['home'].city
people | length is eq 3
xs is defined and xs | length > 2
{'a': 1}.a + 1
'%s' | format('a') ~ 'x'
namespace(a=1).a
namespace(a=1).b is defined
namespace({'a': 1}).a
""".strip("\n")

TEMPLATES = [
    "{{ 'multi\nline' }}",
    "{% for x in xs %}{{ x }}{% endfor %}",
    "{% for x in xs %}{{ loop.index }}/{{ loop.index0 }}/{{ loop.revindex }}/{{ loop.revindex0 }}/{{ loop.first }}/{{ loop.last }}/{{ loop.length }}/{{ loop.depth }};{% endfor %}",
    "{% for x in xs %}{{ loop.previtem is defined }}{{ loop.nextitem }} {% endfor %}",
    "{% for x in xs %}{{ loop.cycle('a', 'b') }}{% endfor %}",
    "{% for x in [1, 1, 2] %}{{ loop.changed(x) }} {% endfor %}",
    "{% for x in [] %}a{% else %}b{% endfor %}",
    "{% for x in missing %}a{% else %}b{% endfor %}",
    "{% for x in none %}a{% endfor %}",
    "{% for x in 5 %}a{% endfor %}",
    "{% for x in xs if x > 1 %}{{ x }}:{{ loop.index }}/{{ loop.length }} {% else %}none{% endfor %}",
    "{% for x in xs if x > 9 %}{{ x }}{% else %}none{% endfor %}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% for k in d %}{{ k }};{% endfor %}",
    "{% for a, b in [[1, 2], (3, 4)] %}{{ a + b }} {% endfor %}",
    "{% for a, b in [[1, 2, 3]] %}{{ a }}{% endfor %}",
    "{% for c in 'añ🙂' %}[{{ c }}]{% endfor %}",
    "{% for x in xs %}{% for y in xs %}{{ loop.depth }}{{ loop.index }}{% endfor %};{{ loop.index }} {% endfor %}",
    "{% for x in xs %}{% set o = loop %}{% for y in [1] %}{{ o.index }}{% endfor %}{% endfor %}",
    "{% for x in xs %}{% if x == 1 %}{% break %}{% endif %}{{ x }}{% endfor %}",
    "{% for x in xs %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% endfor %}",
    "{% for x in xs %}{% if loop.index == 2 %}{{ x }}{% endif %}{% set x = 9 %}{{ x }}{% endfor %}",
    "{% set x = 1 %}{% for i in xs %}{% set x = i %}{% endfor %}{{ x }}",
    "{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}",
    "{% set ns = namespace(x=1) %}{% for i in xs %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace() %}{% set ns.a = 1 %}{{ ns.a }}{{ ns.b }}",
    "{% set d.x = 1 %}",
    "{% for i in [1, 2] %}{% if i == 1 %}{% set x = 5 %}{% endif %}[{{ x }}]{% endfor %}",
    "{% set x = 0 %}{% for i in [1, 2] %}[{{ x }}]{% set x = i %}[{{ x }}]{% endfor %}{{ x }}",
    "{% for i in [] %}{% else %}{% set y = 1 %}{{ y }}{% endfor %}[{{ y }}]",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}",
    "{% set a = 1, 2 %}{{ a }}",
    "{% set x %}a{{ n }}b{% endset %}{{ x }}|{{ x | length }}",
    "{% set x | upper | replace('A', 'z') %}a{{ n }}b{% endset %}{{ x }}",
    "{% filter upper %}abc {{ s }}{% endfilter %}",
    "{% filter indent(2) | upper %}a\nb{% endfilter %}",
    "{% with a = 1, b = n %}{{ a + b }}{% endwith %}[{{ a }}]",
    "{% set a = 5 %}{% with a = 1 %}{% set c = a %}{{ c }}{% endwith %}{{ a }}[{{ c }}]",
    "{% with %}{% set q = 1 %}{{ q }}{% endwith %}[{{ q }}]",
    "{% macro m(a, b=2, c='x') %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }}|{{ m(1, 3) }}|{{ m(1, c='y') }}|{{ m(b=5, a=4) }}",
    "{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m() }}{{ m(1, 2) }}",
    "{% macro m(a) %}[{{ a is defined }}]{% endmacro %}{{ m() }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(b=1) }}",
    "{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, x=4) }}",
    "{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}",
    "{% macro f(n) %}{% if n > 0 %}{{ n }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(4) }}",
    "{% macro m() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ m() }}{% set x = 2 %}{{ m() }}",
    "{% macro m() %}{{ i }}{% endmacro %}{% for i in [1, 2] %}{{ m() }}{% endfor %}",
    "{% macro m() %}{{ caller() }}-{{ caller() }}{% endmacro %}{% call m() %}x{{ n }}{% endcall %}",
    "{% macro m(xs) %}{% for x in xs %}{{ caller(x) }}{% endfor %}{% endmacro %}{% call(i) m([1, 2]) %}<{{ i }}>{% endcall %}",
    "{% macro m() %}a{% endmacro %}{% call m() %}x{% endcall %}",
    "{% macro m() %}  a\n{% endmacro %}[{{ m() | trim }}]",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(*[1]) }}{{ m(**{'a': 2}) }}",
    "{{ raise_exception('no ' ~ n) }}",
    "{% if n > 5 %}big{% elif n > 2 %}mid{% else %}small{% endif %}",
    "{% if missing %}a{% elif nothing %}b{% elif empty %}c{% elif xs %}d{% endif %}",
    "{% if missing.x %}a{% endif %}",
    "a\n{% if true %}\n  b\n{% endif %}\nc\n",
    "a\n  {% if true %}\n  b\n  {% endif %}\nc\n\n",
    "  {{ n }}  \n  {% set x = 1 %}  \n y",
    "a  {%- if true -%}  b  {%- endif -%}  c",
    "a  {%+ if true +%}\n  b  {%+ endif %}\n  c",
    "  {%+ if true %}\n  x{% endif %}",
    "a {{- n -}} b",
    "a {# comment #} b",
    "a\n  {# comment #}\nb",
    "a\n  {#- comment -#}\n  b",
    "a {#+ comment +#}\nb",
    "x{% raw %}{{ n }} {% if %}{% endraw %}y",
    "x {%- raw -%} \n {{ n }} {%- endraw -%} \n y",
    "  {% raw %}\n{{ a }}\n  {% endraw %}\nz",
    "a\r\nb\rc\n\n",
    "{{ n }}\n",
    "{{ n }}\n\n",
    "{% if true %}a{% endif %}\n\n",
    "{{ '}}' }}{{ '%}' }}{{ {'a': {'b': 1}}['a'] }}",
    "{{ 'a' }}{% set x = '{{ n }}' %}{{ x }}",
    "{{ n, f }}",
    "{{ xs.append(9) }}{{ xs }}",
    "{% set l = [] %}{% for x in xs %}{% set _ = l.append(x * 2) %}{% endfor %}{{ l }}{{ l.pop() }}{{ l.pop(0) }}{{ l }}",
    "{% set l = [1, 2] %}{% set m = l %}{{ m.append(3) }}{{ l }}",
    "{% set l = [1] %}{{ l.extend([2, 3]) }}{{ l.insert(0, 0) }}{{ l.reverse() }}{{ l.remove(1) }}{{ l }}{{ l.remove(9) }}",
    "{% set q = {'a': 1} %}{{ q.update({'b': 2}) }}{{ q.update(c=3) }}{{ q.pop('a') }}{{ q }}{{ q.setdefault('z', 0) }}{{ q }}",
    "{% set q = {'a': 1} %}{{ q.pop('x', 5) }}{{ q.pop('x') }}",
    "{% set j = joiner('; ') %}{% for x in xs %}{{ j() }}{{ x }}{% endfor %}",
    "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.reset() }}{{ c.current }}",
    "{% for g, l in people | groupby('age') %}{{ g }}:{{ l | map(attribute='name') | join(',') }};{% endfor %}",
    "{% for g in people | groupby('age') %}{{ g[0] }}{{ g[1] | length }};{% endfor %}",
    "{% for row in [1, 2, 3] | batch(2) %}{{ row }}{% endfor %}",
    "{% for x in d | dictsort %}{{ x[0] }}{% endfor %}",
    "{% for x in xs | sort %}{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}",
    "{% for x in range(3) %}{{ x }}{% endfor %}",
    "{% for m in people %}{{ m.name }}{{ ' ' if not loop.last }}{% endfor %}",
    "{% set loop = 5 %}{{ loop }}",
    "{% block a %}{% if",
    "{% if n %}",
    "{% endif %}",
    "{{ n",
    "{{ 'abc }}",
    "{{ 1 + }}",
    "{{ [1, 2 }}",
    "{% for x xs %}{% endfor %}",
    "{% set 5 = 1 %}",
    "{% set true = 1 %}",
    "{% nosuchtag %}",
    "{% break %}",
    "{{ x y }}",
    "{# open",
    "{% raw %}",
    "{{ a.b. }}",
    "{{ @ }}",
    "{{ f(a=1, 2) }}",
    "{{ n is }}",
    "{{ n | }}",
    "{{ {'a' 1} }}",
    "{{ n }} {# c #}{# d #} {{ f }}",
    "plain",
    "",
    "\n",
    "{{ '' }}",
    "{% set x = namespace(l=[]) %}{% for i in xs %}{% set x.l = x.l + [i] %}{% endfor %}{{ x.l }}",
    "{{ people | map(attribute='age') | select('gt', 26) | list | tojson }}",
    "{% if 'x' in people[0].tags and people | length > 2 %}yes{% endif %}",
    "{% set content = '<think>a</think>b' %}{{ content.split('</think>')[-1].lstrip('\\n') }}|{{ content.split('</think>')[0].rstrip('\\n').split('<think>')[-1] }}",
    "{% macro a() %}{% set v = 1 %}{{ v }}{% endmacro %}{{ a() }}[{{ v }}]",
    "{% if true %}{% macro a() %}x{% endmacro %}{% endif %}{{ a() }}",
    "{% for x in xs %}{% macro a() %}{{ x }}{% endmacro %}{{ a() }}{% endfor %}",
    "{{ loop is defined }}{% for x in xs[:1] %}{{ loop is defined }}{% endfor %}",
    "{% set x = missing or 'd' %}{{ x }}{% set y = nothing if nothing else 'e' %}{{ y }}",
]


def outcome(template):
    context = json.loads(json.dumps(CONTEXT))  # templates may change it
    try:
        return {"text": ENVIRONMENT.from_string(template).render(**context)}
    except Exception as error:  # whatever it is: a failure is the golden
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    templates = ["{{ " + e + " }}" for e in EXPRESSIONS.split("\n")] + TEMPLATES
    cases = [{"template": t, **outcome(t)} for t in templates]
    json.dump(
        {"jinja2": jinja2.__version__, "context": CONTEXT, "cases": cases},
        sys.stdout,
        ensure_ascii=False,
        indent=0,
    )
    print()


main()
