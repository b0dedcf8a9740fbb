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
  ])('%j is %j', (html, text) => {
    expect(textOf(html)).toBe(text);
  });
});
