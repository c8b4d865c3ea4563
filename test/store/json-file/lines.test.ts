import {crc32} from 'node:zlib';
import {expect} from 'chai';
import fc from 'fast-check';
import {decodeLine, encodeLines, LineError, scanLines} from '../../../src/store/json-file/lines.js';

const seed = fc.integer({min: 0, max: 2 ** 32 - 1});
const members = fc
  .dictionary(fc.string({minLength: 1}), fc.jsonValue(), {minKeys: 1})
  .map((value) => {
    // `crc` is the line's own member, and JSON has no negative zero.
    const {crc: _, ...rest} = JSON.parse(JSON.stringify(value));
    return JSON.stringify({a: 1, ...rest}).slice(1, -1);
  });

describe('a line of the JSON file store', () => {
  it('is decoded to what was encoded', () => {
    fc.assert(
      fc.property(members, seed, (text, previous) => {
        const {bytes, crc} = encodeLines([text], previous);
        expect(bytes.at(-1)).to.equal(10);
        const line = bytes.subarray(0, -1);
        const decoded = decodeLine(line, previous);
        expect(decoded.crc).to.equal(crc);
        expect(decoded.value).to.deep.equal(JSON.parse(line.toString()));
        expect({...decoded.value, crc: undefined}).to.deep.equal({
          ...JSON.parse(`{${text}}`),
          crc: undefined,
        });
      }),
    );
  });

  it('starts with the CRC-32 of the rest of the line', () => {
    const {bytes} = encodeLines(['"records":[]'], 0);
    const crc = crc32('"records":[]}').toString(16).padStart(8, '0');
    expect(bytes.toString()).to.equal(`{"crc":"${crc}","records":[]}\n`);
  });

  it('is refused with any bit changed, truncated anywhere, or after another line', () => {
    const {bytes} = encodeLines(['"heartbeats":[["con_1",5]]'], 7);
    const line = bytes.subarray(0, -1);
    for (let bit = 0; bit < line.length * 8; bit += 1) {
      const changed = Buffer.from(line);
      changed.writeUInt8(changed.readUInt8(bit >>> 3) ^ (1 << (bit & 7)), bit >>> 3);
      expect(() => decodeLine(changed, 7), `bit ${bit}`).to.throw(LineError);
    }
    for (let length = 0; length < line.length; length += 1) {
      expect(() => decodeLine(line.subarray(0, length), 7), `${length} bytes`).to.throw(LineError);
    }
    expect(() => decodeLine(line, 8)).to.throw(LineError);
  });

  it('is found in a file of any size, however the file is read', async () => {
    const line = fc.nat(2_500_000).map((length) => 'x'.repeat(length));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({weight: 5, arbitrary: fc.string()}, {weight: 1, arbitrary: line})),
        fc.string(),
        fc.integer({min: 50_000, max: 2_000_000}),
        async (texts, tail, most) => {
          const lines = texts.map((text) => text.replaceAll('\n', ' '));
          const rest = tail.replaceAll('\n', ' ');
          const whole = Buffer.from(lines.map((text) => `${text}\n`).join('') + rest);
          const file = {
            read: async (buffer: Buffer, offset: number, length: number, position: number) => ({
              bytesRead: whole.copy(buffer, offset, position, position + Math.min(length, most)),
            }),
          };
          const seen: string[] = [];
          const extent = await scanLines(file as never, (bytes, {number, offset}) => {
            seen.push(bytes.toString());
            expect(number).to.equal(seen.length);
            expect(whole.subarray(offset, offset + bytes.length).equals(bytes)).to.equal(true);
          });
          expect(seen).to.deep.equal(lines);
          expect(extent.end).to.equal(whole.length - Buffer.byteLength(rest));
          expect(extent.tail.toString()).to.equal(rest);
        },
      ),
      {numRuns: 30},
    );
  });
});
