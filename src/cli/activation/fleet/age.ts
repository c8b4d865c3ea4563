import {Encrypter} from 'age-encryption';

/** Checks an age recipient. @throws if it is not one */
export function checkAgeRecipient(recipient: string): void {
  new Encrypter().addRecipient(recipient);
}

/** Encrypts a text to an age recipient (age-encryption.org/v1). */
export async function encryptToAge(text: string, recipient: string): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return encrypter.encrypt(text);
}
