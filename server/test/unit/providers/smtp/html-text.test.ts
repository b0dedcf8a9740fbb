import { describe, expect, it } from 'vitest';
import { textOf } from '../../../../src/providers/smtp/html-text.ts';

describe('the text of HTML', () => {
  it.each([
    ['<p>One</p><p>Two<br>Three</p>', 'One\n\nTwo\nThree'],
    ['One<br><br><br>Two', 'One\n\nTwo'],
    ['One<br> <br>Two<div>Three</div>', 'One\n\nTwo\nThree'],
    ['<div><p>One</p></div><div>Two</div>', 'One\n\nTwo'],
    ['a < b << c <1 </ d', 'a < b << c <1 </ d'],
    ['<STYLE>p {}</Style>One<!-- <p>no</p> -->Two', 'OneTwo'],
    ['İ<STYLE>p {}</STYLE>İ<B>One</B>', 'İİOne'],
    ['&lt;b&gt; &amp; &#233;&nope;', '<b> & é&nope;'],
    ['One<b title="Two', 'One'],
    ['\0<i>\0</i>', '\0\0'],
    ['&hellip;&rarr;&Auml;&eacute;&#x20AC;&nbsp;&zwj;x', '…→Äé€ \u200dx'],
    ['<div>One</div><div>Two</div><div><br></div><div>Three</div>', 'One\nTwo\n\nThree'],
    ['<table><tr><td>One</td><td>Two</td></tr><tr><td>Three</td></tr></table>', 'One Two\nThree'],
    [
      'See <a href="https://x.test/?a=1&amp;b=2">this <b>page</b></a>.',
      'See this page (https://x.test/?a=1&b=2).',
    ],
    [
      '<a href="https://www.x.test/">x.test</a> <a href=https://x.test>https://x.test/</a>',
      'x.test https://x.test/',
    ],
    [
      '<a href="mailto:a@b.c">Ada</a> <a href="javascript:x">no</a> <a href="https://x.test"><img></a>',
      'Ada no',
    ],
    ['<a href="https://x.test">One<a href="https://y.test">Two', 'One (https://x.test)Two (https://y.test)'],
    [
      'Yes<blockquote type="cite">One<blockquote>Two</blockquote>Three</blockquote>No',
      'Yes\n\n> One\n\n> > Two\n\n> Three\n\nNo',
    ],
    ['<blockquote style="margin:0 0 0 40px;border:none">Indented</blockquote>', 'Indented'],
    ['Yes<div class="a yahoo_quoted"><div>On Monday</div>Ada</div>No', 'Yes\n> On Monday\n> Ada\nNo'],
    ['Yes<div id="divRplyFwdMsg">Xyz: Ada</div>', `Yes\n${'_'.repeat(32)}\nXyz: Ada`],
  ])('%j is %j', async (html, text) => {
    expect(await textOf(html)).toBe(text);
  });
});
