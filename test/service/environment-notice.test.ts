import {expect} from 'chai';
import {environmentNotice} from '../../src/service/environment-notice.js';

describe('the notice about environment variables', () => {
  it('names only the variables that override the profile', () => {
    const none = {PATH: '/bin', CONNECTORCTL_BASE_URL: ''};
    expect(environmentNotice('prod', none)).to.equal(undefined);
    expect(environmentNotice('prod', {CONNECTORCTL_PROFILE: 'prod'})).to.equal(undefined);
    expect(environmentNotice('prod', {CONNECTORCTL_PROFILE: 'test'})).to.equal(
      'Note: the environment overrides the profile: unset CONNECTORCTL_PROFILE to use it.',
    );
    const two = {CONNECTORCTL_API_KEY_FILE: 'a', CONNECTORCTL_BASE_URL: 'b'};
    expect(environmentNotice('prod', two)).to.equal(
      'Note: the environment overrides the profile: unset CONNECTORCTL_BASE_URL, CONNECTORCTL_API_KEY_FILE to use it.',
    );
  });
});
