import {expect} from 'chai';
import {fleetProgress} from '../../../src/connector/enroll/progress.js';

describe('the progress of a fleet activation', () => {
  it('shows a bar, the rate and the time left', () => {
    let now = 0;
    const progress = fleetProgress(100, () => now);
    expect(progress.text()).to.equal(`${'░'.repeat(20)} 0/100`);
    for (let row = 0; row < 25; row += 1) progress.onResult({result: 'activated'});
    now = 5000;
    expect(progress.text()).to.equal(`${'█'.repeat(5)}${'░'.repeat(15)} 25/100, 5.0/s, 15s left`);
  });

  it('counts only machines that needed the service for the rate', () => {
    let now = 0;
    const progress = fleetProgress(100, () => now);
    for (let row = 0; row < 80; row += 1) progress.onResult({result: 'already'});
    now = 1000;
    expect(progress.text()).to.equal(`${'█'.repeat(16)}${'░'.repeat(4)} 80/100`);
    progress.onResult({result: 'failed'});
    expect(progress.text()).to.include('81/100, 1 failed or uncertain, 1.0/s, 19s left');
  });
});
