import {expect} from 'chai';
import {junitReport} from '../../../src/report/formats/junit.js';
import {finding, reportOf, withDetails} from '../../support/report.js';

const formats = {junit: junitReport};

describe('the details of findings in a report', () => {
  for (const [format, render] of Object.entries(formats)) {
    it(`${format} shows them for what fails, warns, is observed or could not run, escaped`, () => {
      const shown = render(withDetails);
      expect(shown.match(/curl -i /g) ?? shown.match(/curl \\-i /g)).to.have.length(4);
      expect(shown.match(/reference/g)).to.have.length(4);
      expect(shown).not.to.include('holds');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
      expect(shown).not.to.match(/[\u0000-\u0009\u001b]/);
      expect(shown).not.to.include('<script');
    });

    it(`${format} leaves them out for the instances of a rule`, () => {
      const instance = finding('fail', {rule: 'expected', details: {id: 'con_details'}});
      expect(render(reportOf([instance]))).not.to.include('con_details');
    });
  }
});
